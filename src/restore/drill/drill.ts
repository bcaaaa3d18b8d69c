import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemCodeOf } from '../../base/errors/errors.ts';
import { fileSystemPath } from '../../os/filesystem/names/entry-path.ts';
import { FolderWalk } from '../../os/filesystem/folder-walk.ts';
import { Folder } from '../../os/filesystem/folder.ts';
import { nanosecondsOf } from '../../os/filesystem/times.ts';
import { throwIfInterrupted } from '../../jobs/interruption.ts';
import { requestedPoint } from '../../jobs/job-request.ts';
import type { RestoreSource } from '../../model/restore-request.ts';
import type { RestoreProgress, RunOptions } from '../../jobs/progress.ts';
import type { RunWarning } from '../../jobs/run-warning.ts';
import { hexDigestOf } from '../../protocol/chunk-hash.ts';
import { wantedChunks } from '../../read/chunks/wanted-chunks.ts';
import type { PlannedWork } from '../record/planned-entry.ts';
import { TargetLayout } from '../plan/target-layout.ts';
import { recordJob } from '../record-job.ts';
import { restoreFiles, type WrittenRestore } from '../restore.ts';
import type { DrilledFile, DrillReport, RestoreDependencies } from '../types.ts';
import { compareFile } from './compare-file.ts';
import type { Database } from 'better-sqlite3';
import { parentOf } from '../../model/entry-path.ts';
import type { PlanStore } from '../record/plan-store.ts';

const PREFIX = 'drill-';

/** Files that a report lists with their hashes. */
const MAX_LISTED = 500;

const DEFAULT_LIMITS: SampleLimits = { bytes: 256 * 2 ** 20, newest: 50, random: 200 };

/** The restore point of which a sample is restored. */
interface DrillRequest {
  readonly source: RestoreSource;
}

export interface DrillOptions extends DrillRequest {
  readonly limits?: SampleLimits;
  /** The set is backed up from this computer: files that are unchanged on its disk are compared, too. */
  readonly isHere: boolean;
}

/**
 * Restores the newest files of a restore point and random ones to a temporary folder, as any restore would, and compares each with
 * what the tree proves, and with the file on disk if that has not changed since. The folder is removed again.
 *
 * @throws what `runRestore` throws
 */
export async function runDrill(
  { limits = DEFAULT_LIMITS, isHere, ...request }: DrillOptions,
  deps: RestoreDependencies,
  options: RunOptions<RestoreProgress> = {},
): Promise<DrillReport> {
  const { source } = request;
  const job = { kind: 'drill', backupSet: source.backupSet, request: requestedPoint(source) } as const;
  return await recordJob(job, deps, options, (inner) => drill({ request, limits, isHere }, deps, inner));
}

async function drill(
  { request, limits, isHere }: { request: DrillRequest; limits: SampleLimits; isHere: boolean },
  deps: RestoreDependencies,
  { signal, onProgress }: RunOptions<RestoreProgress>,
): Promise<DrillReport> {
  removeFolders(deps.scratch);
  const folder = mkdtempSync(join(deps.scratch, PREFIX));
  using untilReported = new DisposableStack();
  untilReported.defer(() => removeFolders(deps.scratch));
  const comparison = new Comparison(isHere, signal);
  let chosen: Sample | undefined;
  const report = await restoreFiles(
    { source: request.source, paths: [], to: folder, sourceRoots: [] },
    deps,
    {
      ...(signal ? { signal } : {}),
      ...(onProgress ? { onProgress: (progress) => onProgress({ ...progress, kind: 'drill' }) } : {}),
      untilReported,
    },
    {
      planned: (store) => {
        chosen = reduceToSample(store, limits);
      },
      written: (written) => comparison.compare(written),
      isReported: false,
    },
  );
  const { restorePoint, filesRestored, bytesWritten, bytesDownloaded, failures, failuresTotal, filesFailed } = report;
  return {
    restorePoint,
    pointFiles: chosen?.pointFiles ?? 0,
    pointBytes: chosen?.pointBytes ?? 0,
    newestFiles: chosen?.newest ?? 0,
    randomFiles: chosen?.random ?? 0,
    filesRestored,
    bytesWritten,
    bytesDownloaded,
    ...comparison.result,
    failures,
    failuresTotal,
    filesFailed,
    warnings: [...report.warnings, ...comparison.warnings],
    ...(report.sources ? { sources: report.sources } : {}),
  };
}

/** Compares what was restored. */
class Comparison {
  readonly warnings: RunWarning[] = [];
  readonly #isHere: boolean;
  readonly #signal: AbortSignal | undefined;
  readonly #listed: DrilledFile[] = [];
  readonly #digest = createHash('sha256');
  #filesCompared = 0;
  #filesSameOnDisk = 0;

  constructor(isHere: boolean, signal: AbortSignal | undefined) {
    this.#isHere = isHere;
    this.#signal = signal;
  }

  get result(): Pick<DrillReport, 'filesCompared' | 'filesSameOnDisk' | 'sample' | 'digest'> {
    return {
      filesCompared: this.#filesCompared,
      filesSameOnDisk: this.#filesSameOnDisk,
      sample: this.#listed,
      digest: this.#digest.copy().digest('hex'),
    };
  }

  async compare({ store, plan, target, run }: WrittenRestore): Promise<void> {
    const layout = new TargetLayout(plan.bases, 'existing');
    using walk = new FolderWalk(Folder.open(target.path));
    for (const work of store.workInOrder()) {
      throwIfInterrupted(this.#signal);
      const location = layout.locate(work.path);
      if (!location) continue;
      if (work.type === 'directory') layout.enter(work.path, location, location.name, 'existing');
      if (work.type !== 'file' || run.failureOf(work.id)) continue;
      const names = [...location.folder, location.name];
      this.#compareFile(work, pathAt(walk, names), { plan, run });
    }
  }

  #compareFile(
    work: PlannedWork,
    path: string | Buffer | undefined,
    { plan, run }: Pick<WrittenRestore, 'plan' | 'run'>,
  ) {
    const proven = { size: work.size, chunks: wantedChunks(work, plan.sessions).map(provenChunk) };
    const compared = path === undefined ? undefined : compareFile(path, proven);
    if (compared?.kind !== 'same') {
      const isSize = compared?.kind === 'different' && compared.what === 'size';
      run.failures.add(work.path, isSize ? 'file_size_mismatch' : 'chunk_corrupt', undefined, 'restored-differs');
      return;
    }
    const { sha256 } = compared;
    this.#filesCompared += 1;
    this.#digest.update(`${sha256}  ${work.path}\n`);
    if (this.#listed.length < MAX_LISTED) this.#listed.push({ path: work.path, bytes: work.size, sha256 });
    if (this.#isHere && isUnchanged(work)) this.#compareWithDisk(work, sha256, proven);
  }

  #compareWithDisk(work: PlannedWork, sha256: string, proven: Parameters<typeof compareFile>[1]): void {
    const onDisk = compareFile(fileSystemPath(work.path), proven);
    if (onDisk.kind === 'same' && onDisk.sha256 === sha256) this.#filesSameOnDisk += 1;
    else if (onDisk.kind === 'different') this.warnings.push({ path: work.path, reason: 'differs-on-disk' });
  }
}

function provenChunk({ hash, size = 0 }: { readonly hash: string; readonly size: number | undefined }): {
  digest: string;
  length: number;
} {
  return { digest: hexDigestOf(hash), length: size };
}

function pathAt(walk: FolderWalk, names: readonly string[]): string | Buffer | undefined {
  try {
    return walk.pathOf(names);
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return undefined;
  }
}

/** Returns whether the file on disk has the size and the time of its backup. */
function isUnchanged({ path, size, seconds, nanoseconds }: PlannedWork): boolean {
  try {
    const stat = lstatSync(fileSystemPath(path), { bigint: true });
    return (
      stat.isFile() &&
      stat.size === BigInt(size) &&
      seconds !== null &&
      stat.mtimeNs === nanosecondsOf(seconds, nanoseconds)
    );
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return false;
  }
}

/** Removes what drills have left, also one that was killed. */
function removeFolders(scratch: string): void {
  for (const name of readdirSync(scratch)) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = join(scratch, name);
    makeRemovable(folder);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Restored folders may forbid that something is removed from them. */
function makeRemovable(folder: string | Buffer): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true, encoding: 'buffer' })) {
    if (entry.isDirectory()) makeRemovable(Buffer.concat([Buffer.from(folder), Buffer.from('/'), entry.name]));
  }
}

/** What a drill restores of a restore point. */
export interface SampleLimits {
  /** Bytes of all files; a larger file is not chosen unless there is no smaller one. */
  readonly bytes: number;
  /** Number of files with the newest times. */
  readonly newest: number;
  /** Number of files chosen at random. */
  readonly random: number;
}

interface Sample {
  readonly newest: number;
  readonly random: number;
  /** Files and bytes of the whole restore point. */
  readonly pointFiles: number;
  readonly pointBytes: number;
}

/** Files that are looked at before it is clear that no more of them fit. */
const CANDIDATES = 10_000;

/** The share of the bytes that the newest files get. */
const NEWEST_SHARE = 0.5;

const ORDERS = {
  newest: 'seconds DESC, nanoseconds DESC, id',
  random: 'random()',
  smallest: 'size, id',
} as const;

/** Reduces a plan to the newest files and to random ones, with the folders that they are in. */
function reduceToSample(store: PlanStore, limits: SampleLimits): Sample {
  const { filesTotal, bytesTotal } = store.totals();
  const chosen = new Set<number>();
  const counts = { newest: 0, random: 0 };
  store.narrow((database) => {
    let left = limits.bytes * NEWEST_SHARE;
    const take = (order: keyof typeof ORDERS, most: number): number => {
      let taken = 0;
      for (const { id, size } of candidates(database, order)) {
        if (taken === most) break;
        if ((size > left && order !== 'smallest') || chosen.has(id)) continue;
        chosen.add(id);
        left -= size;
        taken += 1;
      }
      return taken;
    };
    counts.newest = take('newest', limits.newest);
    left += limits.bytes * (1 - NEWEST_SHARE);
    counts.random = take('random', limits.random);
    if (chosen.size === 0) counts.random = take('smallest', 1);
    keepOnly(database, chosen);
  });
  return { ...counts, pointFiles: filesTotal, pointBytes: bytesTotal };
}

function candidates(
  database: Database,
  order: keyof typeof ORDERS,
): readonly { readonly id: number; readonly size: number }[] {
  return database
    .prepare<[], { readonly id: number; readonly size: number }>(
      `SELECT id, size FROM entry WHERE type = 'file' ORDER BY ${ORDERS[order]} LIMIT ${CANDIDATES}`,
    )
    .all();
}

/** Removes all entries but these files and the folders above them. */
function keepOnly(database: Database, files: ReadonlySet<number>): void {
  database.exec('CREATE TEMP TABLE kept (path TEXT PRIMARY KEY) WITHOUT ROWID');
  const pathOf = database.prepare<[number], string>('SELECT path FROM entry WHERE id = ?').pluck();
  const keep = database.prepare('INSERT OR IGNORE INTO kept VALUES (?)');
  for (const id of files) {
    for (let path = pathOf.get(id)!; path !== ''; path = parentOf(path)) keep.run(path);
  }
  database.exec(
    `DELETE FROM entry WHERE path NOT IN (SELECT path FROM kept);
     DELETE FROM content WHERE id NOT IN (SELECT id FROM entry);
     DROP TABLE kept`,
  );
}
