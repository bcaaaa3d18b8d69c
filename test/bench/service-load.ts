/**
 * `npm run bench:service -- [manifests] [presigns] [calls] [crashes] [year] [history]`: measures the service under load, in its own process on
 * the loopback, on SQLite and a folder, or with `--database postgres://… --objects s3://… --endpoint … --processes 2` on
 * your own empty stores (keys in AWS_*); see docs/reports/performance.md. Exit code 1 if an acknowledged restore point was lost or
 * is incomplete.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openAccount, registerDevice } from './load/account.ts';
import { LoadClient } from './load/client.ts';
import { measureCalls } from './load/call-load.ts';
import { measureCrashes } from './load/crash-load.ts';
import { measureHistory } from './load/history-load.ts';
import { measureManifests } from './load/manifest-load.ts';
import { measurePresigns } from './load/presign-load.ts';
import { ServiceFleet } from './load/service-fleet.ts';
import { measureYear } from './load/year-load.ts';

const PARTS = ['manifests', 'presigns', 'calls', 'crashes', 'year', 'history'] as const;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    files: { type: 'string', default: '1000000' },
    devices: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '60' },
    kills: { type: 'string', default: '5' },
    registered: { type: 'string', default: '10000' },
    active: { type: 'string', default: '1000' },
    rate: { type: 'string', default: '5' },
    runs: { type: 'string', default: '8760' },
    points: { type: 'string', default: '1000' },
    changed: { type: 'string', default: '200' },
    'only-policy': { type: 'boolean', default: false },
    processes: { type: 'string', default: '1' },
    database: { type: 'string' },
    objects: { type: 'string' },
    endpoint: { type: 'string' },
    region: { type: 'string' },
    dir: { type: 'string', default: tmpdir() },
  },
});
const { database, objects, endpoint, region } = values;
const stores = {
  ...(database === undefined ? {} : { database }),
  ...(objects === undefined ? {} : { objects }),
  ...(endpoint === undefined ? {} : { objectsEndpoint: endpoint }),
  ...(region === undefined ? {} : { objectsRegion: region }),
};
if (Number(values.processes) > 1 && (database === undefined || objects === undefined)) {
  throw new Error('Several processes need --database and --objects, which they share.');
}
const unknown = positionals.filter((part) => !PARTS.some((one) => one === part));
if (unknown.length > 0) throw new Error(`There is no part ${unknown.join(', ')}: ${PARTS.join(', ')}`);

for (const part of PARTS) {
  if (positionals.length > 0 && !positionals.includes(part)) continue;
  if (part === 'year') await measureSimulatedYear();
  else if (part === 'history') await measureKeptPoints();
  else await measure(part);
}

/** Runs each part on an empty service. */
async function measure(part: Exclude<(typeof PARTS)[number], 'year' | 'history'>): Promise<void> {
  const folder = mkdtempSync(join(values.dir, 'holdfast-load-'));
  const fleet = await ServiceFleet.start(folder, Number(values.processes), stores);
  const service = fleet.processes[0]!;
  const client = new LoadClient(fleet.urls);
  try {
    const token = await openAccount(client, join(folder, 'process-0'), values.database);
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
      case 'calls':
        await measureCalls(service, client, token, {
          registered: Number(values.registered),
          active: Number(values.active),
          rate: Number(values.rate),
          seconds: lasting,
        });
        break;
      case 'crashes':
        if (!(await measureCrashes(fleet, client, devices, lasting, Number(values.kills)))) process.exitCode = 1;
        break;
      default:
        part satisfies never;
    }
  } finally {
    await client.close();
    await fleet.killAll();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureSimulatedYear(): Promise<void> {
  const folder = mkdtempSync(join(values.dir, 'holdfast-year-'));
  try {
    await measureYear(folder, {
      files: 2_000,
      changed: 20,
      runs: Number(values.runs),
      policy: values['only-policy'] ? 'only' : 'both',
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureKeptPoints(): Promise<void> {
  const folder = mkdtempSync(join(values.dir, 'holdfast-history-'));
  try {
    await measureHistory(folder, { files: 2_000, changed: Number(values.changed), most: Number(values.points) });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
