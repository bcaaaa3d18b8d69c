import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CatalogEntries, SetRun } from '../catalog/entries.ts';
import { throwIfInterrupted } from '../job/interruption.ts';
import { Exclusion } from '../scan/exclusion.ts';
import { Scanner, type FoundFile, type ScanCatalog, type ScanCounts } from '../scan/scanner.ts';
import type { RootState } from '../scan/source-check.ts';
import type { WorkerPool } from '../workers/pool.ts';
import { ChunkingQueue } from './chunking-queue.ts';
import { ContentSignals } from './content-signals.ts';
import type { EarlyUpload } from './early-upload.ts';
import { recutDamaged } from './recut.ts';
import type { BackupRequest, ExclusionEffect } from './types.ts';
import type { RunWarning } from '../job/run-warning.ts';

/** Milliseconds for which the scan holds the thread before others may have it. */
const TURN_MS = 15;

export interface Collected {
  readonly counts: ScanCounts;
  /** Bytes of files that were new or changed. */
  readonly bytesChanged: number;
  readonly warnings: readonly RunWarning[];
  readonly exclusions: readonly ExclusionEffect[];
  /** Of the files that were read. */
  readonly signals: ContentSignals;
}

export interface CollectObserver {
  onScanned(counts: ScanCounts, currentPath: string | undefined): void;
  onRead(path: string, bytes: number): void;
}

/**
 * Brings the catalog to what is on the disk now: scans the roots, and has every file read that is new or changed.
 *
 * @param run nothing in a dry run, which only counts and compares with `rootsDirectory`
 * @throws HoldfastError `interrupted`, `source_not_mounted`
 */
export async function collect(
  request: BackupRequest,
  roots: readonly RootState[],
  entries: CatalogEntries,
  run: SetRun | undefined,
  rootsDirectory: number | undefined,
  pool: WorkerPool,
  observer: CollectObserver,
  signal: AbortSignal | undefined,
  early?: EarlyUpload,
): Promise<Collected> {
  const { set } = request;
  const exclusion = new Exclusion(set.excludes, set.presets, request.ownFolders ?? []);
  const catalog = run ? writable(entries, run) : readOnly(entries);
  const scanner = new Scanner(catalog, {
    exclusion,
    oneFileSystem: set.oneFileSystem,
    rehash: request.rehash ?? false,
    allowEmpty: request.allowEmpty ?? false,
    first: request.first ?? [],
  });
  const warnings: RunWarning[] = [];
  const onWarning = (warning: RunWarning): void => void warnings.push(warning);
  const onRead = (path: string, bytes: number): void => observer.onRead(path, bytes);
  const signals = new ContentSignals();
  const onChanged = (name: string, looksRandom: boolean): void => signals.note(name, looksRandom);
  const queue = run && new ChunkingQueue(entries, run, pool, { onRead, onWarning, onChanged }, signal, early);
  let bytesChanged = 0;
  let turn = performance.now();
  const take = async (found: readonly FoundFile[]): Promise<void> => {
    for (const file of found) {
      bytesChanged += file.size;
      await queue?.add(file);
    }
  };
  try {
    scanner.addRoots(rootsDirectory, roots);
    for (let found = scanner.step(); found; found = scanner.step()) {
      throwIfInterrupted(signal);
      await take(found);
      if (performance.now() - turn > TURN_MS) {
        observer.onScanned(scanner.counts, scanner.currentPath);
        await nextTurn();
        turn = performance.now();
      }
    }
  } catch (error) {
    await queue?.finish().catch(() => undefined);
    throw error;
  }
  observer.onScanned(scanner.counts, undefined);
  await queue?.finish();
  throwIfInterrupted(signal);
  if (run) await recutDamaged(entries, run, onWarning, signal);
  return {
    counts: scanner.counts,
    bytesChanged,
    warnings: [...scanner.warnings, ...warnings],
    exclusions: exclusion.effects(),
    signals,
  };
}

function writable(entries: CatalogEntries, run: SetRun): ScanCatalog {
  const committed = entries.committedRun(run.setId);
  return {
    children: (directory) => (directory === undefined ? [] : entries.eachChild(directory)),
    newDirectory: () => entries.newDirectory(run),
    put: (directory, entry) => entries.put(directory!, { ...entry, chunks: null }, run, committed),
    remove: (directory, known) => entries.remove(directory!, known.name, known.child),
  };
}

function readOnly(entries: CatalogEntries): ScanCatalog {
  return {
    children: (directory) => (directory === undefined ? [] : entries.eachChild(directory)),
    newDirectory: () => undefined,
    put: () => undefined,
    remove: () => undefined,
  };
}
