/**
 * `npm run test:memory`: backs up and restores 200,000 files, then one file of 20 GB, and prints the peak memory of
 * Holdfast's whole process tree (the sum of the resident sets, sampled 50 times a second). Exits with 1 above the
 * limit. It takes minutes and about 45 GB in TMPDIR, so it is not part of `npm test`; arguments make it smaller:
 *
 *     npm run test:memory -- [FILES] [GIGABYTES]
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';

const LIMIT = 400_000_000;
const SAMPLE_MS = 20;
const FILES_IN_FOLDER = 500;
const GIGABYTE = 1_000_000_000;
const PAGE_BYTES = 4096;

const files = Number(process.argv[2] ?? 200_000);
const gigabytes = Number(process.argv[3] ?? 20);
const program = join(dirname(import.meta.dirname), 'bin/holdfast');
const workspace = mkdtempSync(join(tmpdir(), 'holdfast-memory-'));
process.once('exit', () => rmSync(workspace, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

let highest = 0;
console.log(`\n${'peak of the process tree'.padEnd(44)}${'memory'.padStart(10)}${'took'.padStart(10)}`);
if (files > 0) await measureAll(`${files.toLocaleString('en-US')} files`, makeFiles);
if (gigabytes > 0) await measureAll(`one file of ${gigabytes} GB`, makeLargeFile);
console.log(highest <= LIMIT ? `\nAll below ${megabytes(LIMIT)}.` : `\nAbove the limit of ${megabytes(LIMIT)}.`);
process.exitCode = highest <= LIMIT ? 0 : 1;

async function measureAll(title: string, make: (folder: string) => void): Promise<void> {
  const folder = join(workspace, 'source');
  mkdirSync(folder);
  make(folder);
  await holdfast('setup', '--destination', join(workspace, 'destination'));
  await holdfast('set', 'add', 'memory', folder);
  await report(`${title}: first backup`, 'backup', 'memory');
  await report(`${title}: nothing changed`, 'backup', 'memory');
  await report(`${title}: verify`, 'verify', 'memory');
  rmSync(folder, { recursive: true });
  await report(`${title}: restore`, 'restore', 'memory', '--to', join(workspace, 'restored'));
  for (const name of ['home', 'destination', 'restored']) rmSync(join(workspace, name), { recursive: true });
}

async function report(title: string, ...words: readonly string[]): Promise<void> {
  const started = performance.now();
  const peak = await holdfast(...words);
  highest = Math.max(highest, peak);
  const seconds = `${((performance.now() - started) / 1000).toFixed(1)} s`;
  console.log(`${title.padEnd(44)}${megabytes(peak).padStart(10)}${seconds.padStart(10)}`);
}

/** Runs a command that has to succeed and returns the peak memory of its process tree in bytes. */
async function holdfast(...words: readonly string[]): Promise<number> {
  const child = spawn(program, [...words, '--json', '--home', join(workspace, 'home')], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let peak = 0;
  const sampling = setInterval(() => {
    peak = Math.max(peak, child.pid === undefined ? 0 : residentBytes(child.pid));
  }, SAMPLE_MS);
  const [output, errors, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  clearInterval(sampling);
  if (status !== 0) throw new Error(`holdfast ${words.join(' ')}\n${output}${errors}`);
  return peak;
}

/** Resident bytes of a process and its descendants; exited ones count as zero. */
function residentBytes(pid: number): number {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
    const children = readdirSync(`/proc/${pid}/task`)
      .flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim().split(' '))
      .filter((child) => child !== '');
    return children.reduce((sum, child) => sum + residentBytes(Number(child)), pages * PAGE_BYTES);
  } catch {
    return 0;
  }
}

/** Small files of 1 to 15 kB in folders of 500. */
function makeFiles(folder: string): void {
  for (let index = 0; index < files; index += 1) {
    const inner = join(folder, `folder ${Math.floor(index / FILES_IN_FOLDER)}`);
    if (index % FILES_IN_FOLDER === 0) mkdirSync(inner);
    writeFileSync(join(inner, `file ${index}.txt`), `${index} `.repeat(150 + (index % 2_000)));
  }
}

/** Bytes that do not deduplicate: a stream cipher over zeros, written by openssl. */
function makeLargeFile(folder: string): void {
  const target = openSync(join(folder, 'large.bin'), 'w');
  const key = '00'.repeat(16);
  const { status, stderr } = spawnSync(
    'sh',
    ['-c', `head -c ${gigabytes * GIGABYTE} /dev/zero | openssl enc -aes-128-ctr -nosalt -K ${key} -iv ${key}`],
    { stdio: ['ignore', target, 'pipe'], encoding: 'utf8' },
  );
  closeSync(target);
  if (status !== 0) throw new Error(stderr);
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}
