/**
 * `bin/node bench/in-place.ts`: what a restore to the original place fetches after 1 % of 2 GiB has changed on disk, in one place, in
 * many places of large files, and as whole small files. Prints the share of the data, and whether the files are as they were.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { measure } from './compare/measure.ts';
import { seededBytes, writeSeededFile } from './data-sets/seeded-bytes.ts';
import { printTable } from './report/console-rows.ts';
import { storeOf } from './tools/holdfast.ts';

const MIB = 2 ** 20;
const { values } = parseArgs({ options: { mib: { type: 'string', default: '2048' } } });
const total = Number(values.mib);

interface DataSet {
  readonly name: string;
  readonly files: number;
  readonly fileMib: number;
  /** Changes 1 % of the bytes. */
  readonly change: (paths: readonly string[]) => void;
}

const next = seededBytes('changes');
const share = Math.round(total / 100);
const DATA_SETS: readonly DataSet[] = [
  {
    name: `${share} MiB in one place of a file of 64 MiB`,
    files: total / 64,
    fileMib: 64,
    change: ([path]) => {
      const file = openSync(path!, 'r+');
      for (let mib = 0; mib < share; mib += 1) writeSync(file, next(MIB), 0, MIB, (20 + mib) * MIB + 12_345);
      closeSync(file);
    },
  },
  {
    name: `${share} places of 1 MiB in files of 64 MiB`,
    files: total / 64,
    fileMib: 64,
    change: (paths) => {
      for (let place = 0; place < share; place += 1) {
        const file = openSync(paths[place % paths.length]!, 'r+');
        writeSync(file, next(MIB), 0, MIB, (7 + 11 * Math.floor(place / paths.length)) * MIB + 12_345);
        closeSync(file);
      }
    },
  },
  {
    name: `${share} of ${total} files of 1 MiB`,
    files: total,
    fileMib: 1,
    change: (paths) => {
      for (let index = 0; index < share; index += 1) {
        const file = openSync(paths[index * 97]!, 'w');
        writeSync(file, next(MIB));
        closeSync(file);
      }
    },
  },
];

const rows: string[][] = [];
for (const dataSet of DATA_SETS) rows.push(await restoreInPlace(dataSet));
printTable(['changed', 'data', 'fetched', 'share', 'restore', 'files as before'], rows);

async function restoreInPlace({ name, files, fileMib, change }: DataSet): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-in-place-'));
  try {
    const source = join(folder, 'source');
    mkdirSync(source);
    for (let index = 0; index < files; index += 1) {
      await writeSeededFile(
        join(source, String(index).padStart(5, '0')),
        `in place ${fileMib} ${index}`,
        fileMib * MIB,
      );
    }
    const store = await storeOf(folder, source, ['--destination', join(folder, 'repository')]);
    await measure(store.backup(), folder);
    const before = await digestsBelow(source);
    change([...before.keys()]);
    const { args, ...command } = store.restore(source);
    const inPlace = [
      ...args.filter((word) => word !== '--to' && word !== source),
      '--in-place',
      '--conflict',
      'overwrite',
    ];
    const { seconds } = await measure({ ...command, args: inPlace }, folder);
    const report = readFileSync(join(folder, 'output'), 'utf8');
    const { bytes_downloaded: fetched } = JSON.parse(report) as { readonly bytes_downloaded: number };
    const after = await digestsBelow(source);
    const same = [...before].filter(([path, digest]) => after.get(path) === digest).length;
    const bytes = files * fileMib * MIB;
    return [
      name,
      `${(bytes / MIB).toFixed(0)} MiB`,
      `${(fetched / MIB).toFixed(1)} MiB`,
      `${((fetched / bytes) * 100).toFixed(2)} %`,
      `${seconds.toFixed(1)} s`,
      `${same} of ${files}`,
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** SHA-256 of each file. */
async function digestsBelow(folder: string): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  for (const name of readdirSync(folder).toSorted()) {
    const hash = createHash('sha256');
    await pipeline(createReadStream(join(folder, name)), hash);
    digests.set(join(folder, name), hash.digest('hex'));
  }
  return digests;
}
