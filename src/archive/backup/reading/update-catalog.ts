import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CatalogEntries, SetRun } from '../../../catalog/entries/entries.ts';
import { entryPathGiven } from '../../../os/filesystem/names/entry-path.ts';
import { throwIfInterrupted } from '../../../jobs/interruption.ts';
import type { RunWarning } from '../../../jobs/run-warning.ts';
import type { LeftOutByRule } from '../../../base/left-out.ts';
import { Scanner } from '../../scan/scanner.ts';
import type { FoundFile, ScanCatalog, ScanCounts } from '../../scan/types.ts';
import type { BackupPool } from '../tasks.ts';
import type { WritableRun } from '../catalog-run.ts';
import type { BackupRequest } from '../types.ts';
import type { EarlyUpload } from '../upload/early-upload.ts';
import { exclusionOf, type CheckedRoots } from './check-roots.ts';
import { ChunkingQueue } from './chunking-queue.ts';
import { budgetFor, countLeftOut, WITHOUT_LIMIT } from './count-left-out.ts';
import { Databases } from './databases.ts';
import { ContentSignals, type ContentChange } from './content-signals.ts';
import { FileByFile } from './file-by-file.ts';
import { splitDamagedChunks } from './split-damaged-chunks.ts';
import type { FilesInCopies } from './volume-copies.ts';

/** Milliseconds of scanning after which the event loop gets a turn. */
const TURN_MS = 15;

export interface CatalogUpdate {
  readonly counts: ScanCounts;
  /** Bytes of files that were new or changed. */
  readonly bytesChanged: number;
  readonly warnings: readonly RunWarning[];
  /** Facts that keep nothing out of the backup. */
  readonly notes: readonly RunWarning[];
  /** Those of the notes that are about files which the restore point lacks. */
  readonly skipped: readonly RunWarning[];
  /** What keeps its last version since it is not there, although nobody deleted it. */
  readonly unseen: Scanner['unseen'];
  readonly leftOut: readonly LeftOutByRule[];
  /** The signals of the files that were read. */
  readonly signals: ContentSignals;
}

export interface CatalogUpdateObserver {
  onScanned(counts: ScanCounts, currentPath: string | undefined): void;
  onRead(path: string, bytes: number): void;
}

export interface CatalogUpdateOptions {
  readonly request: Omit<BackupRequest, 'keyEnvelope'>;
  readonly roots: CheckedRoots;
  readonly entries: CatalogEntries;
  /** `undefined` in a dry run, which only counts and compares with `rootsDirectory`. */
  readonly run: SetRun | undefined;
  readonly rootsDirectory: number | undefined;
  readonly pool: BackupPool;
  readonly observer: CatalogUpdateObserver;
  readonly signal: AbortSignal | undefined;
  readonly early?: EarlyUpload | undefined;
  readonly copies?: FilesInCopies | undefined;
  /** An existing folder for copies of databases; with `copies`. */
  readonly scratch?: string | undefined;
}

/**
 * Brings the catalog up to date with the disk: scans the roots, and has every new or changed file read and chunked.
 *
 * @throws HoldfastError `interrupted`
 */
export async function updateCatalog(options: CatalogUpdateOptions): Promise<CatalogUpdate> {
  const { request, roots, entries, run, rootsDirectory, pool, observer, signal, early, copies, scratch } = options;
  const { set } = request;
  const skipsOnline = set.onlineFiles !== 'fetch';
  const catalogRun = run && { entries, run };
  const exclusion = exclusionOf(request);
  const databases =
    catalogRun && copies && scratch !== undefined
      ? new Databases({ catalogRun, pool, copies, scratch, signal })
      : undefined;
  const scanner = new Scanner(catalogRun ? writable(catalogRun, databases) : readOnly(entries), {
    exclusion,
    oneFileSystem: set.oneFileSystem,
    rehash: request.rehash ?? false,
    accepts: roots.accepts,
    optional: new Set(set.optionalRoots?.map(entryPathGiven)),
    places: roots.places,
    fetchesOnline: !skipsOnline,
    first: request.first ?? [],
  });
  const warnings: RunWarning[] = [];
  const signals = new ContentSignals();
  const chunking = {
    onRead: (path: string, bytes: number): void => observer.onRead(path, bytes),
    onWarning: (warning: RunWarning): void => void warnings.push(warning),
    onChanged: (change: ContentChange): void => signals.add(change),
  };
  const reading = { pool, observer: chunking, signal, early, skipsOnline, copies, places: roots.places };
  const queue = catalogRun && new ChunkingQueue({ catalogRun, ...reading });
  const fileByFile = new FileByFile();
  let bytesChanged = 0;
  let turn = performance.now();
  const enqueue = async (found: readonly FoundFile[]): Promise<void> => {
    for (const file of found) {
      bytesChanged += file.size;
      fileByFile.see(file);
      if (!databases?.take(file)) await queue?.add(file);
    }
  };
  try {
    scanner.addRoots(rootsDirectory, roots.present, new Set(roots.absent.map(({ path }) => path)));
    for (let found = scanner.step(); found; found = scanner.step()) {
      throwIfInterrupted(signal);
      await enqueue(found);
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
  await countLeftOut(exclusion.leftOut, run ? budgetFor(scanner.counts) : WITHOUT_LIMIT, signal);
  if (queue) await databases?.read(queue, chunking.onWarning);
  await queue?.finish();
  throwIfInterrupted(signal);
  if (catalogRun) await splitDamagedChunks(catalogRun, chunking.onWarning, signal);
  return {
    counts: databases?.corrected(scanner.counts) ?? scanner.counts,
    bytesChanged,
    warnings: [...scanner.warnings, ...warnings],
    notes: [...scanner.notes, ...(run ? fileByFile.notes(request.hasCommand ?? false) : [])],
    skipped: scanner.notes,
    unseen: scanner.unseen,
    // Who tries a set out wants to know of a pattern that matches nothing.
    leftOut: exclusion.leftOut.byRule(run ? [] : set.excludes.filter((pattern) => !/^(?:[!#]|\s*$)/.test(pattern))),
    signals,
  };
}

function writable({ entries, run }: WritableRun, databases: Databases | undefined): ScanCatalog {
  return {
    ...readOnly(entries),
    newDirectory: () => entries.newDirectory(run),
    put: (directory, entry) => entries.put(directory!, { ...entry, chunks: null }, run),
    remove: (directory, known) => {
      if (!databases?.keep(directory!, known)) entries.remove(directory!, known.name, known.child);
    },
  };
}

function readOnly(entries: CatalogEntries): ScanCatalog {
  return {
    children: (directory) => (directory === undefined ? [] : entries.eachChild(directory)),
    chunksOf: (directory, name) => entries.find(directory, name)?.chunks ?? undefined,
    newDirectory: () => undefined,
    put: () => undefined,
    remove: () => undefined,
  };
}
