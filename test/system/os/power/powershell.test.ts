import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { windowsDisks } from '../../../../src/os/disks/windows-disks.ts';
import { windowsNetwork } from '../../../../src/os/power/windows-network.ts';

let folder: string;
const path = process.env['PATH'];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-powershell-'));
  process.env['PATH'] = `${folder}:${path}`;
});
afterEach(() => {
  process.env['PATH'] = path;
  rmSync(folder, { recursive: true });
});

/** Like Windows, it prints in code page 850 unless the script chooses another encoding. */
function install(inUtf8: string, inCodePage850: string): void {
  const script = `#!/bin/sh
case $4 in
*'[Console]::OutputEncoding = [Text.Encoding]::UTF8'*) printf '%s' '${inUtf8}' ;;
*) printf '${inCodePage850}' ;;
esac
`;
  writeFileSync(join(folder, 'powershell.exe'), script, { mode: 0o755 });
}

test.skipIf(process.platform === 'win32')('the name of a network keeps its letters', async () => {
  const json = (name: string): string => `{"online":true,"cost":"Unrestricted","wlan":true,"ssid":"${name}"}`;
  install(json('Café Zoë'), json(String.raw`Caf\202 Zo\211`));
  expect(await windowsNetwork.read()).toMatchObject({ isOnline: true, name: 'Café Zoë' });
});

test.skipIf(process.platform === 'win32')('the name of a drive keeps its letters', async () => {
  const json = (name: string): string =>
    `{"drives":[{"DeviceID":"E:","DriveType":3,"VolumeName":"${name}"}],"partitions":[],"disks":[]}`;
  install(json('Büro'), json(String.raw`B\201ro`));
  expect((await windowsDisks()).found).toMatchObject([{ path: 'E:\\', label: 'Büro' }]);
});
