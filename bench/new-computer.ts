/**
 * `bin/node bench/new-computer.ts`: opens a repository with many restore points on a computer that has never seen it, in a folder and in
 * a bucket: how long it takes until the points are listed and the newest one is browsed, and what it requests.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { newMasterKey } from '../src/format/crypto/keys.ts';
import { phraseOf } from '../src/format/crypto/recovery-phrase.ts';
import { MemoryStorage } from '../test/helpers/storage/memory-storage.ts';
import { measure } from './compare/measure.ts';
import { SourceHistory, writeHistory, type HistoryOptions } from './data-sets/restore-point-history.ts';
import { storeInBucket, storeInFolder } from './data-sets/stored-history.ts';
import { CountingProxy } from './network/counting-proxy.ts';
import { BenchBucket } from './network/bench-bucket.ts';
import { printTable } from './report/console-rows.ts';
import { PROGRAM } from './tools/holdfast.ts';

const HOUR = 3_600_000;
const ROOT = '/home/anna';

const { values } = parseArgs({
  options: {
    points: { type: 'string', default: '1000' },
    files: { type: 'string', default: '200000' },
    changes: { type: 'string' },
    seed: { type: 'string', default: '1' },
    stores: { type: 'string', default: 'folder,bucket' },
  },
});
const [points, files] = [Number(values.points), Number(values.files)];
const history: HistoryOptions = {
  masterKey: newMasterKey(),
  seed: Number(values.seed),
  points,
  files,
  changes: values.changes === undefined ? Math.ceil(files / 1000) : Number(values.changes),
  root: ROOT,
  set: 'documents',
  start: Date.now() - (points + 1) * HOUR,
  interval: HOUR,
};

const folder = mkdtempSync(join(tmpdir(), 'holdfast-new-computer-'));
try {
  const began = performance.now();
  const memory = new MemoryStorage();
  const { device } = await writeHistory(memory, history);
  const bytes = memory.files.values().reduce((sum, file) => sum + file.bytes.length, 0);
  console.log(
    `${points} points of ${files} files, ${history.changes} changed in each: ${memory.files.size} files, ` +
      `${megabytes(bytes)}, written in ${seconds(performance.now() - began)}`,
  );
  if (values.stores.includes('folder')) await openFolder(memory, device);
  if (values.stores.includes('bucket')) await openBucket(memory, device);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function openFolder(memory: MemoryStorage, device: string): Promise<void> {
  const directory = join(folder, 'repository');
  storeInFolder(memory, directory);
  await open('folder', device, ['--destination', directory], {});
}

async function openBucket(memory: MemoryStorage, device: string): Promise<void> {
  await using store = await BenchBucket.start();
  const bucket = await store.create();
  await storeInBucket(memory, bucket);
  memory.files.clear();
  await using proxy = await CountingProxy.listen(bucket.endpoint!);
  const where = ['--destination', `s3://${bucket.bucket}`, '--endpoint', proxy.address];
  await open('bucket', device, where, store.environment, proxy);
}

/** Sets up a new home, lists the points, and lists a folder of the newest one. */
async function open(
  name: string,
  device: string,
  where: readonly string[],
  credentials: Readonly<Record<string, string>>,
  proxy?: CountingProxy,
): Promise<void> {
  const place = mkdtempSync(join(folder, 'place-'));
  const phrase = join(place, 'phrase');
  writeFileSync(phrase, phraseOf(history.masterKey));
  const environment = { HOLDFAST_HOME: join(place, 'home'), ...credentials };
  const of = ['documents', '--device', device];
  const source = new SourceHistory(history);
  const file = join(ROOT, source.file(Math.floor(files / 2)).path);
  const steps: readonly (readonly [string, readonly string[]])[] = [
    ['set up', ['setup', ...where, '--recovery-phrase-file', phrase]],
    ['restore points listed', ['points', ...of]],
    ['newest point browsed', ['ls', 'documents', dirname(file), '--device', device]],
    ['one file restored', ['restore', ...of, '--path', file, '--to', join(place, 'target')]],
    ['points listed again', ['points', ...of]],
  ];
  const rows: string[][] = [];
  for (const [step, args] of steps) {
    proxy?.take();
    const cost = await measure({ program: PROGRAM, args: [...args, '--json'], environment }, place);
    const traffic = proxy?.take();
    rows.push([
      `${name}: ${step}`,
      seconds(cost.seconds * 1000),
      `${cost.cpuSeconds.toFixed(2)} s`,
      megabytes(cost.peakBytes),
      traffic
        ? Object.entries(traffic.requests)
            .map(([kind, count]) => `${count} ${kind}`)
            .join(' ')
        : '–',
      traffic ? megabytes(traffic.received) : '–',
    ]);
  }
  printTable(['', 'wall', 'CPU', 'memory', 'requests', 'received'], rows);
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
