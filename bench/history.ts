/**
 * `bin/node bench/history.ts`: the history of files on a computer that has never seen a repository with many restore points. Prints what
 * filling it takes from a folder, a bucket and a service, its size, and how long folders and searches take.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { homeAt } from '../src/agent/home/home.ts';
import { newMasterKey } from '../src/format/crypto/keys.ts';
import { phraseOf } from '../src/format/crypto/recovery-phrase.ts';
import { MemoryStorage } from '../test/helpers/storage/memory-storage.ts';
import { measure, run, type Measured } from './compare/measure.ts';
import { writeHistory, type HistoryOptions } from './data-sets/restore-point-history.ts';
import { storeInBucket, storeInFolder } from './data-sets/stored-history.ts';
import { BenchBucket } from './network/bench-bucket.ts';
import { CountingProxy } from './network/counting-proxy.ts';
import { printTable } from './report/console-rows.ts';
import { createAccount, startService } from './tools/holdfast-service.ts';
import { PROGRAM } from './tools/holdfast.ts';

const HOUR = 3_600_000;
const ROOT = '/home/anna';
const SET = 'documents';
/** As the app's thread that asks. */
const MEMORY = ['--max-old-space-size=192', '--max-semi-space-size=4'];

const { values } = parseArgs({
  options: {
    points: { type: 'string', default: '500' },
    files: { type: 'string', default: '200000' },
    changes: { type: 'string' },
    queries: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    stores: { type: 'string', default: 'folder,bucket,service' },
  },
});
const [points, files, queries] = [Number(values.points), Number(values.files), Number(values.queries)];
const options: HistoryOptions = {
  masterKey: newMasterKey(),
  seed: Number(values.seed),
  points,
  files,
  changes: values.changes === undefined ? Math.ceil(files / 1000) : Number(values.changes),
  root: ROOT,
  set: SET,
  start: Date.now() - (points + 1) * HOUR,
  interval: HOUR,
};

const filled: string[][] = [];
const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-history-'));
try {
  const memory = new MemoryStorage();
  const { device } = await writeHistory(memory, options);
  const bytes = memory.files.values().reduce((sum, file) => sum + file.bytes.length, 0);
  console.log(
    `${points} points of ${files} files, ${options.changes} changed in each: ${megabytes(bytes)} of repository`,
  );
  const directory = join(folder, 'repository');
  storeInFolder(memory, directory);
  const home = await fill('folder', device, ['--destination', directory], {});
  if (values.stores.includes('bucket')) await fillFromBucket(memory, device);
  memory.files.clear();
  if (values.stores.includes('service')) await fillFromService(device, directory);
  printTable(['', 'wall', 'CPU', 'memory', 'requests', 'received'], filled);
  console.log(`\nThe history has ${megabytes(statSync(homeAt(home).historyFile).size)}.\n`);
  const questions = {
    home,
    device,
    set: SET,
    root: ROOT,
    seed: options.seed,
    points,
    files,
    queries,
    start: options.start,
    interval: HOUR,
  };
  // In a process of its own, whose memory is measured.
  const { status } = spawnSync(
    process.execPath,
    [...MEMORY, join(import.meta.dirname, 'history-questions.ts'), JSON.stringify(questions)],
    {
      stdio: 'inherit',
    },
  );
  if (status !== 0) throw new Error(`the questions ended with ${status}`);
  await askProgram(home, device);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function fillFromBucket(memory: MemoryStorage, device: string): Promise<void> {
  await using store = await BenchBucket.start();
  const bucket = await store.create();
  await storeInBucket(memory, bucket);
  await using proxy = await CountingProxy.listen(bucket.endpoint!);
  const where = ['--destination', `s3://${bucket.bucket}`, '--endpoint', proxy.address];
  await fill('bucket', device, where, store.environment, proxy);
}

/** Copies the restore points to a service, as the computer that continues their device. */
async function fillFromService(device: string, directory: string): Promise<void> {
  const place = mkdtempSync(join(folder, 'service-'));
  const data = join(place, 'data');
  mkdirSync(data);
  const service = await startService(place, data);
  try {
    const environment = { HOLDFAST_HOME: join(place, 'home') };
    const holdfast = (...args: readonly string[]): Promise<string> =>
      run({ program: PROGRAM, args, environment }, place);
    const phrase = join(place, 'phrase');
    writeFileSync(phrase, phraseOf(options.masterKey));
    await holdfast(
      'setup',
      '--destination',
      directory,
      '--recovery-phrase-file',
      phrase,
      '--device-id',
      device,
      '--json',
    );
    await holdfast(
      'destination',
      'add',
      '--server',
      service.url,
      ...(await createAccount(place, data)),
      '--name',
      'service',
    );
    await holdfast('destination', 'copy', 'repository', 'service', SET, '--json');
    rmSync(homeAt(environment.HOLDFAST_HOME).historyFile, { force: true });
    const args = ['find', SET, 'nothing has this name', '--destination', 'service', '--json'];
    record('service', await measure({ program: PROGRAM, args, environment }, place, service.pid));
  } finally {
    await service.close();
  }
}

/** Sets up a new home, and searches it once. Returns its folder. */
async function fill(
  name: string,
  device: string,
  where: readonly string[],
  credentials: Readonly<Record<string, string>>,
  proxy?: CountingProxy,
): Promise<string> {
  const place = mkdtempSync(join(folder, 'place-'));
  const phrase = join(place, 'phrase');
  writeFileSync(phrase, phraseOf(options.masterKey));
  const home = join(place, 'home');
  const environment = { HOLDFAST_HOME: home, ...credentials };
  await run(
    { program: PROGRAM, args: ['setup', ...where, '--recovery-phrase-file', phrase, '--json'], environment },
    place,
  );
  // Reads the ledgers, which listing the restore points takes as well.
  await run({ program: PROGRAM, args: ['points', SET, '--device', device, '--json'], environment }, place);
  proxy?.take();
  const args = ['find', SET, 'nothing has this name', '--device', device, '--json'];
  const cost = await measure({ program: PROGRAM, args, environment }, place);
  record(name, cost, proxy);
  return home;
}

function record(name: string, { seconds, cpuSeconds, peakBytes, service }: Measured, proxy?: CountingProxy): void {
  const traffic = proxy?.take();
  const requests = traffic && Object.values(traffic.requests).reduce((sum, count) => sum + count, 0);
  const ofService = service ? ` + ${service.cpuSeconds.toFixed(1)} s` : '';
  filled.push([
    `filled from a ${name}`,
    `${seconds.toFixed(1)} s`,
    `${cpuSeconds.toFixed(1)} s${ofService}`,
    megabytes(peakBytes),
    requests === undefined ? '–' : String(requests),
    traffic ? megabytes(traffic.received) : '–',
  ]);
}

/** Asks by the command line, with the start of the program. */
async function askProgram(home: string, device: string): Promise<void> {
  const place = mkdtempSync(join(folder, 'asked-'));
  const args = ['find', SET, 'file-0012345', '--device', device, '--local', '--json'];
  const cost = await measure({ program: PROGRAM, args, environment: { HOLDFAST_HOME: home } }, place);
  console.log(`holdfast find --local: ${cost.seconds.toFixed(2)} s, ${megabytes(cost.peakBytes)}`);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
