import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ChunkingQueue } from '../../../../../src/archive/backup/reading/chunking-queue.ts';
import { FilesInCopies, type VolumeCopies } from '../../../../../src/archive/backup/reading/volume-copies.ts';
import type { BackupPool } from '../../../../../src/archive/backup/tasks.ts';
import { Catalog } from '../../../../../src/catalog/catalog.ts';
import type { SetRun } from '../../../../../src/catalog/entries/entries.ts';
import { FILE } from '../../../../../src/catalog/entries/entry.ts';
import {
  CHANGED,
  FAILED,
  READ,
  UNSTABLE,
  type ChunkFilesOutput,
} from '../../../../../src/archive/chunk/chunk-files.ts';
import { STAT_RECORD_BYTES, unpackStat } from '../../../../../src/os/filesystem/stat-record.ts';
import { Places } from '../../../../../src/archive/scan/places.ts';
import type { RunWarning } from '../../../../../src/jobs/run-warning.ts';

const CHUNK_RECORD = 36;
const places = new Places();
const PLACE = places.of('/file')!.number;

let folder: string;
let catalog: Catalog;
let run: SetRun;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-queue-'));
  catalog = new Catalog(join(folder, 'catalog.sqlite'));
  run = catalog.entries.beginRun('set');
});
afterEach(() => {
  catalog.close();
  rmSync(folder, { recursive: true, force: true });
});

const stat = (mark: number): Buffer => Buffer.alloc(STAT_RECORD_BYTES, mark);
const chunks = (mark: number): Buffer => Buffer.alloc(CHUNK_RECORD, mark);

function known(): void {
  const entry = {
    name: '/file',
    kind: FILE,
    stat: stat(1),
    child: null,
    detail: null,
    place: PLACE,
    chunks: chunks(1),
  } as const;
  catalog.entries.put(run.rootsDirectory, entry, run);
}

function outputOf(state: number): ChunkFilesOutput {
  return {
    states: Uint8Array.of(state),
    counts: Uint32Array.of(1),
    stats: stat(2),
    chunks: chunks(2),
    failures: [],
    sealed: new Uint32Array(),
    sealedLengths: new Uint32Array(),
    signs: Uint8Array.of(0),
  };
}

/** Has a file read by a pool that returns a state. @returns the warnings */
async function read(
  state: number,
  { isKnown, code = 'EIO' }: { isKnown: boolean; code?: string },
): Promise<RunWarning[]> {
  const output = { ...outputOf(state), failures: state === FAILED ? [[0, code] as const] : [] };
  const pool = { capacity: 1, run: () => Promise.resolve(output) } as unknown as BackupPool;
  const warnings: RunWarning[] = [];
  const observer = { onRead: () => undefined, onWarning: (warning: RunWarning) => void warnings.push(warning) };
  const catalogRun = { entries: catalog.entries, run };
  const queue = new ChunkingQueue({ catalogRun, pool, observer, signal: undefined, skipsOnline: true, places });
  const place = { directory: run.rootsDirectory, name: '/file', path: '/file' };
  await queue.add({ ...place, size: 5, stat: stat(2), detail: null, place: PLACE, isKnown });
  await queue.finish();
  return warnings;
}

const PATH = 'C:/mail.pst';
const COPY = '//?/GLOBALROOT/Device/HarddiskVolumeShadowCopy7';

type Answer = 'read' | 'locked' | 'torn' | 'gone';
const STATES = { read: READ, locked: FAILED, torn: UNSTABLE, gone: FAILED } as const;

/**
 * Has a file read by a pool that answers in this order, where the file is and in a copy.
 *
 * @returns the paths that were read, and the warnings
 */
async function readWith(
  { inPlace, inCopy = [] }: { readonly inPlace: readonly Answer[]; readonly inCopy?: readonly Answer[] },
  copies: VolumeCopies | undefined,
  use: (copied: FilesInCopies, queue: () => ChunkingQueue) => Promise<void> = async (_copied, queue) => readBy(queue()),
): Promise<{ readonly paths: readonly string[]; readonly warnings: readonly RunWarning[] }> {
  const paths: string[] = [];
  const left = { inPlace: [...inPlace], inCopy: [...inCopy] };
  const answer = (_task: string, { paths: [path] }: { paths: readonly [string] }): Promise<ChunkFilesOutput> => {
    paths.push(path);
    const next = (path === PATH ? left.inPlace : left.inCopy).shift();
    if (next === undefined) throw new Error(`one reading of ${path} too many`);
    const failures = STATES[next] === FAILED ? [[0, next === 'locked' ? 'EBUSY' : 'ENOENT'] as const] : [];
    const mark = path === PATH ? 2 : 3;
    return Promise.resolve({ ...outputOf(STATES[next]), stats: stat(mark), chunks: chunks(mark), failures });
  };
  const pool = { capacity: 1, run: answer } as unknown as BackupPool;
  const warnings: RunWarning[] = [];
  const observer = { onRead: () => undefined, onWarning: (warning: RunWarning) => void warnings.push(warning) };
  const catalogRun = { entries: catalog.entries, run };
  await using copied = new FilesInCopies(copies);
  await use(
    copied,
    () =>
      new ChunkingQueue({ catalogRun, pool, observer, signal: undefined, skipsOnline: false, copies: copied, places }),
  );
  expect(left).toEqual({ inPlace: [], inCopy: [] });
  return { paths, warnings };
}

async function readBy(queue: ChunkingQueue): Promise<void> {
  const place = { directory: run.rootsDirectory, name: '/file', path: PATH };
  await queue.add({ ...place, size: 5, stat: stat(2), detail: null, place: PLACE, isKnown: false });
  await queue.finish();
}

function copiesOf(calls: string[], copy: string | undefined = COPY): VolumeCopies {
  return {
    copyFor: (path) => {
      calls.push(`copy for ${path}`);
      return Promise.resolve(copy === '' ? undefined : { placeOf: (name) => name.replace('C:', COPY) });
    },
    deleteAll: () => {
      calls.push('delete');
      return Promise.resolve();
    },
  };
}

function stored(): number | undefined {
  return catalog.entries.find(run.rootsDirectory, '/file')?.chunks?.[0];
}

describe('the version of a file in the catalog', () => {
  test('is what was read', async () => {
    known();
    expect(await read(READ, { isKnown: true })).toEqual([]);
    expect(stored()).toBe(2);
  });

  test.each([
    ['it changed during each reading', UNSTABLE, 'changed-while-reading'],
    ['it changed between two parts', CHANGED, 'changed-while-reading'],
    ['it cannot be read', FAILED, undefined],
  ] as const)('stays the previous one when %s', async (_name, state, reason) => {
    known();
    const warnings = await read(state, { isKnown: true });
    expect(warnings).toMatchObject([{ path: '/file', ...(reason === undefined ? {} : { reason }) }]);
    expect(stored()).toBe(1);
  });

  test('is a torn one, with a warning, when there is no other', async () => {
    expect(await read(UNSTABLE, { isKnown: false })).toMatchObject([{ reason: 'changed-while-reading' }]);
    expect(stored()).toBe(2);
  });

  test('is none when it was deleted since its folder was listed', async () => {
    known();
    expect(await read(FAILED, { isKnown: true, code: 'ENOENT' })).toEqual([]);
    expect(stored()).toBeUndefined();
  });
});

describe('a file that another program has locked', () => {
  test('is read when it is unlocked at the end of the scan', async () => {
    expect(await readWith({ inPlace: ['locked', 'read'] }, undefined)).toEqual({ paths: [PATH, PATH], warnings: [] });
    expect(stored()).toBe(2);
  });

  test('is named if there is no copy of its volume', async () => {
    const calls: string[] = [];
    for (const copies of [undefined, copiesOf(calls, '')]) {
      const { warnings } = await readWith({ inPlace: ['locked', 'locked'] }, copies);
      expect(warnings).toEqual([{ path: PATH, reason: 'in-use' }]);
      expect(stored()).toBeUndefined();
    }
    expect(calls).toEqual([`copy for ${PATH}`, 'delete']);
  });

  test('is read from a copy of its volume, which is deleted after the run', async () => {
    const calls: string[] = [];
    const { paths, warnings } = await readWith({ inPlace: ['locked', 'locked'], inCopy: ['read'] }, copiesOf(calls));
    expect(paths).toEqual([PATH, PATH, `${COPY}/mail.pst`]);
    expect(warnings).toEqual([]);
    expect(stored()).toBe(3);
    expect(calls).toEqual([`copy for ${PATH}`, 'delete']);
  });

  test.each(['gone', 'locked'] as const)('is named if it is %s in the copy', async (answer) => {
    known();
    const { warnings } = await readWith({ inPlace: ['locked', 'locked'], inCopy: [answer] }, copiesOf([]));
    expect(warnings).toEqual([{ path: PATH, reason: 'in-use' }]);
    expect(stored()).toBe(1);
  });
});

describe('a file that another program keeps writing to', () => {
  test('is read from a copy of its volume, and no warning names it', async () => {
    known();
    const { paths, warnings } = await readWith({ inPlace: ['torn'], inCopy: ['read'] }, copiesOf([]));
    expect(paths).toEqual([PATH, `${COPY}/mail.pst`]);
    expect(warnings).toEqual([]);
    expect(stored()).toBe(3);
  });

  test('has the times of the copy and the device of its volume', async () => {
    await readWith({ inPlace: ['torn'], inCopy: ['read'] }, copiesOf([]));
    const fields = unpackStat(catalog.entries.find(run.rootsDirectory, '/file')!.stat);
    expect(fields.inode).toBe(unpackStat(stat(3)).inode);
    expect(fields.device).toBe(unpackStat(stat(2)).device);
  });

  test.each([
    ['there is no copy', [], ''],
    ['it is not in the copy', ['gone'], COPY],
    ['it is torn in the copy', ['torn'], COPY],
  ] as const)('is stored as it was read, with a warning, if %s and it is new', async (_name, inCopy, copy) => {
    const { warnings } = await readWith({ inPlace: ['torn'], inCopy }, copiesOf([], copy));
    expect(warnings).toEqual([{ path: PATH, reason: 'changed-while-reading' }]);
    expect(stored()).toBe(2);
  });

  test('keeps its previous version if there is no copy', async () => {
    known();
    const { warnings } = await readWith({ inPlace: ['torn'] }, copiesOf([], ''));
    expect(warnings).toEqual([{ path: PATH, reason: 'changed-while-reading' }]);
    expect(stored()).toBe(1);
  });

  test('is read where it is when the copy has gone before it is read again', async () => {
    known();
    const answers = { inPlace: ['torn', 'read'], inCopy: ['read', 'gone'] } as const;
    const { paths, warnings } = await readWith(answers, copiesOf([]), async (copied, queue) => {
      await readBy(queue());
      expect(copied.placeOf(PATH)).toBe(`${COPY}/mail.pst`);
      await readBy(queue());
      expect(copied.placeOf(PATH)).toBe(PATH);
    });
    expect(paths).toEqual([PATH, `${COPY}/mail.pst`, `${COPY}/mail.pst`, PATH]);
    expect(warnings).toEqual([]);
    expect(stored()).toBe(2);
  });
});
