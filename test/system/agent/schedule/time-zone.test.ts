import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const MODULE = fileURLToPath(new URL('../../../../src/agent/schedule/time-zone.ts', import.meta.url));

/** Simulates a journey in a process with its own /etc, which only root can create. */
const JOURNEY = `
import { symlinkSync, rmSync } from 'node:fs';
import { followTimeZone } from ${JSON.stringify(MODULE)};
const hour = () => new Date('2026-11-02T12:00Z').getHours();
const before = hour();
rmSync('/etc/localtime');
symlinkSync('/usr/share/zoneinfo/Asia/Tokyo', '/etc/localtime');
followTimeZone();
console.log(JSON.stringify([before, hour()]));
`;

function inItsOwnEtc(...words: readonly string[]): { readonly status: number | null; readonly stdout: string } {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-etc-'));
  try {
    const commands = 'mount --bind "$0" /etc && ln -s /usr/share/zoneinfo/Europe/Berlin /etc/localtime && exec "$@"';
    const environment = { ...process.env };
    delete environment['TZ'];
    return spawnSync('unshare', ['--mount', 'sh', '-c', commands, folder, ...words], {
      encoding: 'utf8',
      env: environment,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const isPossible =
  process.platform === 'linux' && inItsOwnEtc('test', '-f', '/usr/share/zoneinfo/Asia/Tokyo').status === 0;

test.skipIf(!isPossible)("follows the computer's current time zone", () => {
  const { stdout } = inItsOwnEtc(process.execPath, '--input-type=module', '--eval', JOURNEY);
  expect(JSON.parse(stdout)).toEqual([13, 21]);
});
