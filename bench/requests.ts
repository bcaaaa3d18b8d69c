/**
 * `bin/node bench/requests.ts`: the requests that a backup of many small files to a bucket takes, beside restic's, each counted by a port
 * between the program and the store.
 */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measure } from './compare/measure.ts';
import { seededBytes } from './data-sets/seeded-bytes.ts';
import { BenchBucket } from './network/bench-bucket.ts';
import { CountingProxy, type Traffic } from './network/counting-proxy.ts';
import { printTable } from './report/console-rows.ts';
import { PROGRAM } from './tools/holdfast.ts';
import { versionLine } from './tools/installed.ts';
import type { Command } from './tools/tool.ts';

const FILES_PER_FOLDER = 100;
const LEAST_BYTES = 200;
const MOST_BYTES = 6_000;
/** Files with new content before the last backup. */
const CHANGED = 50;

const { values } = parseArgs({ options: { files: { type: 'string', default: '50000' } } });
const files = Number(values.files);
const folder = mkdtempSync(join(tmpdir(), 'holdfast-requests-'));
const source = join(folder, 'source');
try {
  const bytes = writeSource();
  console.log(`${files} files, ${(bytes / 1e6).toFixed(0)} MB`);
  await using store = await BenchBucket.start();
  const rows: string[][] = [];
  const tools = [openHoldfast, ...(versionLine('restic', 'version') === undefined ? [] : [openRestic])];
  for (const [index, open] of tools.entries()) {
    const { bucket, endpoint } = await store.create();
    await using proxy = await CountingProxy.listen(endpoint!);
    const place = join(folder, `place-${index}`);
    mkdirSync(place);
    const { label, setUp, backup, restore } = open({ place, bucket, endpoint: proxy.address, keys: store.environment });
    const count = async (step: string, ...commands: readonly Command[]): Promise<void> => {
      proxy.take();
      for (const command of commands) await measure(command, place);
      rows.push([`${label}: ${step}`, ...cellsOf(proxy.take())]);
    };
    await count('set up', ...setUp);
    await count('first backup', backup);
    await count('nothing changed', backup);
    change(index);
    await count(`${CHANGED} files changed`, backup);
    await count('restore', restore);
  }
  printTable(['', 'requests', 'by method', 'sent', 'received'], rows);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

interface Place {
  readonly place: string;
  readonly bucket: string;
  readonly endpoint: string;
  readonly keys: Readonly<Record<string, string>>;
}

interface Program {
  readonly label: string;
  readonly setUp: readonly Command[];
  readonly backup: Command;
  readonly restore: Command;
}

function openHoldfast({ place, bucket, endpoint, keys }: Place): Program {
  const environment = { HOLDFAST_HOME: join(place, 'home'), ...keys };
  const command = (...args: readonly string[]): Command => ({
    program: PROGRAM,
    args: [...args, '--json'],
    environment,
  });
  return {
    label: 'Holdfast',
    setUp: [
      command('setup', '--destination', `s3://${bucket}`, '--endpoint', endpoint),
      command('set', 'add', 'bench', source, '--no-presets'),
    ],
    backup: command('backup', 'bench', '--priority', 'normal'),
    restore: command('restore', 'bench', '--to', join(place, 'target')),
  };
}

function openRestic({ place, bucket, endpoint, keys }: Place): Program {
  const environment = {
    ...keys,
    RESTIC_REPOSITORY: `s3:${endpoint}/${bucket}`,
    RESTIC_PASSWORD: 'benchmark',
    RESTIC_CACHE_DIR: join(place, 'cache'),
  };
  const command = (...args: readonly string[]): Command => ({
    program: 'restic',
    args: ['--quiet', ...args],
    environment,
  });
  return {
    label: versionLine('restic', 'version')?.split(' ').slice(0, 2).join(' ') ?? 'restic',
    setUp: [command('init', '--repository-version', '2')],
    backup: command('backup', source),
    restore: command('restore', 'latest', '--target', join(place, 'target')),
  };
}

function pathOf(index: number): string {
  return join(source, `folder-${Math.floor(index / FILES_PER_FOLDER)}`, `file-${index}`);
}

function writeSource(): number {
  const next = seededBytes('requests');
  let bytes = 0;
  for (let index = 0; index < files; index += 1) {
    if (index % FILES_PER_FOLDER === 0)
      mkdirSync(join(source, `folder-${index / FILES_PER_FOLDER}`), { recursive: true });
    const length = LEAST_BYTES + (next(2).readUInt16BE() % (MOST_BYTES - LEAST_BYTES));
    writeFileSync(pathOf(index), next(length));
    bytes += length;
  }
  return bytes;
}

function change(round: number): void {
  const step = Math.max(1, Math.floor(files / CHANGED));
  for (let index = 0; index < files; index += step) appendFileSync(pathOf(index), `changed ${round}`);
}

function cellsOf({ total, requests, sent, received }: Traffic): string[] {
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  const methods = Object.entries(requests).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [
    `${total}`,
    methods.map(([method, count]) => `${count} ${method}`).join(', '),
    megabytes(sent),
    megabytes(received),
  ];
}
