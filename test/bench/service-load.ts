/**
 * `npm run bench:service -- [manifests] [presigns] [crashes]`: the service under load, as a process of its own on the
 * loopback; see docs/performance.md. Exit code 1 where an acknowledged restore point was lost, or one is there half.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openAccount, registerDevice } from './load/account.ts';
import { LoadClient } from './load/client.ts';
import { measureCrashes } from './load/crash-load.ts';
import { measureManifests } from './load/manifest-load.ts';
import { measurePresigns } from './load/presign-load.ts';
import { ServiceProcess } from './load/service-process.ts';

const PARTS = ['manifests', 'presigns', 'crashes'] as const;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    files: { type: 'string', default: '1000000' },
    devices: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '60' },
    kills: { type: 'string', default: '5' },
    dir: { type: 'string', default: tmpdir() },
  },
});
const unknown = positionals.filter((part) => !PARTS.some((one) => one === part));
if (unknown.length > 0) throw new Error(`There is no part ${unknown.join(', ')}: ${PARTS.join(', ')}`);

for (const part of PARTS) {
  if (positionals.length === 0 || positionals.includes(part)) await measure(part);
}

/** Each part on a service with nothing in it. */
async function measure(part: (typeof PARTS)[number]): Promise<void> {
  const folder = mkdtempSync(join(values.dir, 'holdfast-load-'));
  mkdirSync(join(folder, 'data'));
  const service = await ServiceProcess.start(folder);
  const client = new LoadClient(service.url);
  try {
    const token = await openAccount(client, folder);
    const devices = [];
    const wanted = part === 'crashes' ? Number(values.devices) : 1;
    for (let index = 0; index < wanted; index += 1) {
      devices.push(await registerDevice(client, token, `device ${index}`));
    }
    const lasting = Number(values.seconds);
    switch (part) {
      case 'manifests':
        await measureManifests(service, client, devices[0]!, Number(values.files));
        break;
      case 'presigns':
        await measurePresigns(service, client, devices[0]!, Math.min(10, lasting));
        break;
      case 'crashes':
        if (!(await measureCrashes(service, client, devices, lasting, Number(values.kills)))) process.exitCode = 1;
        break;
      default:
        part satisfies never;
    }
  } finally {
    await client.close();
    await service.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
}
