import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ChunkingQueue } from '../../../../src/engine/backup/reading/chunking-queue.ts';
import { LockedFiles, type ShadowCopies } from '../../../../src/engine/backup/reading/locked-files.ts';
import type { BackupPool } from '../../../../src/engine/backup/tasks.ts';
import { Catalog } from '../../../../src/engine/catalog/catalog.ts';
import { FILE, type SetRun } from '../../../../src/engine/catalog/entries.ts';
import { CHANGED, FAILED, READ, UNSTABLE, type ChunkFilesOutput } from '../../../../src/engine/chunk/chunk-files.ts';
import { STAT_RECORD_BYTES } from '../../../../src/engine/filesystem/stat-record.ts';
import type { RunWarning } from '../../../../src/engine/job/run-warning.ts';

const CHUNK_RECORD = 36;

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
  const entry = { name: '/file', kind: FILE, stat: stat(1), child: null, detail: null, chunks: chunks(1) } as const;
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
  const queue = new ChunkingQueue({ catalogRun, pool, observer, signal: undefined, skipsOnline: true });
  const place = { directory: run.rootsDirectory, name: '/file', path: '/file' };
  await queue.add({ ...place, size: 5, stat: stat(2), detail: null, isKnown });
  await queue.finish();
  return warnings;
}

/** Has a file read by a pool that finds it locked at these paths. @returns the paths that were read, and the warnings */
async function readLocked(
  lockedAt: readonly string[],
  copies: ShadowCopies | undefined,
): Promise<{ readonly paths: readonly string[]; readonly warnings: readonly RunWarning[] }> {
  const paths: string[] = [];
  const times = new Map(lockedAt.map((path) => [path, lockedAt.filter((each) => each === path).length]));
  const answer = (_task: string, { paths: [path] }: { paths: readonly [string] }): Promise<ChunkFilesOutput> => {
    paths.push(path);
    const left = times.get(path) ?? 0;
    times.set(path, left - 1);
    const state = left > 0 ? FAILED : READ;
    return Promise.resolve({ ...outputOf(state), failures: left > 0 ? [[0, 'EBUSY']] : [] });
  };
  const pool = { capacity: 1, run: answer } as unknown as BackupPool;
  const warnings: RunWarning[] = [];
  const observer = { onRead: () => undefined, onWarning: (warning: RunWarning) => void warnings.push(warning) };
  await using locked = new LockedFiles(copies);
  const queue = new ChunkingQueue({
    catalogRun: { entries: catalog.entries, run },
    pool,
    observer,
    signal: undefined,
    skipsOnline: false,
    locked,
  });
  const place = { directory: run.rootsDirectory, name: '/file', path: 'C:/mail.pst' };
  await queue.add({ ...place, size: 5, stat: stat(2), detail: null, isKnown: false });
  await queue.finish();
  return { paths, warnings };
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
  const PATH = 'C:/mail.pst';
  const ROOT = '//?/GLOBALROOT/Device/HarddiskVolumeShadowCopy7';

  test('is read when it is unlocked at the end of the scan', async () => {
    expect(await readLocked([PATH], undefined)).toEqual({ paths: [PATH, PATH], warnings: [] });
    expect(stored()).toBe(2);
  });

  test('is named if there is no copy of its volume', async () => {
    const { paths, warnings } = await readLocked([PATH, PATH, PATH], undefined);
    expect(paths).toEqual([PATH, PATH]);
    expect(warnings).toEqual([{ path: PATH, reason: 'in-use' }]);
    expect(stored()).toBeUndefined();
  });

  test('is read from a copy of its volume, which is deleted after the run', async () => {
    const calls: string[] = [];
    const copies: ShadowCopies = {
      create: (volume) => {
        calls.push(`create ${volume}`);
        return Promise.resolve({ root: ROOT });
      },
      deleteAll: () => {
        calls.push('delete');
        return Promise.resolve();
      },
    };
    const { paths, warnings } = await readLocked([PATH, PATH, PATH], copies);
    expect(paths).toEqual([PATH, PATH, `${ROOT}/mail.pst`]);
    expect(warnings).toEqual([]);
    expect(stored()).toBe(2);
    expect(calls).toEqual(['create C:/', 'delete']);
  });
});
