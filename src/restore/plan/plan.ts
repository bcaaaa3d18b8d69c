import { HoldfastError, isHoldfastError } from '../../base/errors/errors.ts';
import { TREE_PATH } from '../../protocol/path.ts';
import { SIDECARS } from '../../archive/chunk/database/sqlite.ts';
import { PathNames } from '../../format/crypto/path-names.ts';
import type { RunWarning } from '../../jobs/run-warning.ts';
import type { TreeRecord, VerifiedFooter } from '../../format/tree/record.ts';
import { piecesWithin } from '../../format/tree/piece-ranges.ts';
import { FailureList } from '../failure-list.ts';
import { requestFiles, type ManifestReceiver } from '../../read/source/manifest.ts';
import { nearestEntries } from '../../read/source/nearest-entries.ts';
import { notStoredIn } from '../../read/source/not-stored.ts';
import { PathFilter } from '../../read/source/path-filter.ts';
import { findRestorePoint, type FoundRestorePoint } from '../../read/source/restore-point.ts';
import { checkAnswer, isDataFailure, openTree, readPieces, type OpenTree } from '../../read/source/tree.ts';
import { TimeSlice } from '../../read/time-slice.ts';
import type { RestoreSource } from '../../model/restore-request.ts';
import type { ReadDependencies } from '../../read/types.ts';
import { ManifestComparison } from './manifest-comparison.ts';
import { ManifestOnlyPlan } from './manifest-only.ts';
import type { PlanStore } from '../record/plan-store.ts';
import { nameBases, type RestoreBase } from './target-names.ts';

/** The requested part of a restore point. Its entries are in the store. */
export interface Plan {
  readonly point: FoundRestorePoint;
  /** True if a tree proves every entry. */
  readonly hasTree: boolean;
  /** Restore sessions; entries refer to them by index. */
  readonly sessions: readonly string[];
  readonly bases: readonly RestoreBase[];
  /** Entry paths of the sources of the backup; empty without a tree. */
  readonly sources: readonly string[];
  /** Whether a database that was requested comes with its log or journal, which was not. */
  readonly hasLogs: boolean;
  readonly warnings: readonly RunWarning[];
  readonly failures: FailureList;
  /** Entry paths whose content the backup did not read, or not as it was then; `undefined` if not all of them are known. */
  readonly unread: ReadonlySet<string> | undefined;
}

export interface PlanRequest {
  readonly source: RestoreSource;
  /** Entry paths; an empty list requests everything. */
  readonly paths: readonly string[];
  /** True if the catalog does not record which tree was seen. */
  readonly dryRun?: boolean;
  /** Without a tree that can be read, plans what the service lists. Otherwise that is an error. */
  readonly acceptUnverified?: boolean;
}

/**
 * Makes the plan from the tree, which proves each file and its chunks, and compares the service's manifest with it. What
 * cannot be read of the tree is named in the plan's failures, and everything else stays in the plan.
 *
 * @throws HoldfastError `no_restore_point`, `path_not_found` (details `{path, parent, names}`), what the service throws,
 *   and `tree_invalid` or `chunk_*` if there is no tree that can be read
 */
export async function makePlan(
  request: PlanRequest,
  store: PlanStore,
  deps: ReadDependencies,
  signal?: AbortSignal,
): Promise<Plan> {
  const point = await findRestorePoint(request.source, deps, signal);
  return await new Planning(request, store, deps, signal).make(point);
}

/** Returns whether a tree was made by a device that was removed. `acceptUnverified` does not accept that: it is known who made it. */
function isOfRevoked(error: HoldfastError): boolean {
  return isHoldfastError(error, 'tree_invalid') && error.details.reason === 'revoked';
}

class Planning {
  readonly #request: PlanRequest;
  readonly #store: PlanStore;
  readonly #deps: ReadDependencies;
  readonly #signal: AbortSignal | undefined;
  readonly #names: PathNames;
  readonly #warnings: RunWarning[] = [];
  readonly #failures = new FailureList();

  constructor(request: PlanRequest, store: PlanStore, deps: ReadDependencies, signal: AbortSignal | undefined) {
    this.#request = request;
    this.#store = store;
    this.#deps = deps;
    this.#signal = signal;
    this.#names = new PathNames(deps.keys.path);
  }

  async make(point: FoundRestorePoint): Promise<Plan> {
    const tree = await this.#openTree(point);
    const { sessions, roots, paths } = tree ? await this.#planTree(point, tree) : await this.#planWithoutTree(point);
    return {
      point,
      hasTree: tree !== undefined,
      sessions,
      hasLogs: paths.length > new PathFilter(this.#request.paths).paths.length,
      bases: nameBases(paths.length > 0 ? paths : roots),
      sources: tree ? roots : [],
      warnings: this.#warnings,
      failures: this.#failures,
      unread: tree && unreadIn(tree.footer),
    };
  }

  /** Returns `undefined` if there is no tree that can be read and the request accepts that. */
  async #openTree(point: FoundRestorePoint): Promise<OpenTree | undefined> {
    try {
      return await openTree(this.#request.source, point, this.#deps, this.#signal);
    } catch (error) {
      if (!isDataFailure(error) || this.#request.acceptUnverified !== true || isOfRevoked(error)) throw error;
      if (point.treeChunks) this.#failures.addError(TREE_PATH, error);
      else this.#warnings.push({ path: TREE_PATH, reason: 'no-tree' });
      return undefined;
    }
  }

  async #planTree(point: FoundRestorePoint, tree: OpenTree): Promise<Sources> {
    const { source, paths, dryRun = false } = this.#request;
    const { catalog } = this.#deps;
    const { footer } = tree;
    this.#warnings.push(...checkAnswer(source, point, footer, this.#deps));
    if (!dryRun) catalog.history.recordSeenTree(source.deviceId, source.backupSet, footer);
    const filter = new PathFilter(paths);
    this.#warnings.push(...notStoredIn(footer.warnings, filter.paths));
    await this.#addRecords(tree, filter);
    const sessions = await this.#compareManifest(point, filter.paths, footer.privateNames);
    return { sessions, roots: footer.roots, paths: filter.paths };
  }

  async #addRecords(tree: OpenTree, filter: PathFilter): Promise<void> {
    const { pieces } = tree.footer;
    const wanted =
      filter.paths.length === 0
        ? ['']
        : filter.paths.flatMap((path) => [path, ...SIDECARS.map((suffix) => path + suffix)]);
    const indexes = new Set(wanted.flatMap((path) => Array.from(piecesWithin(pieces, path))).sort((a, b) => a - b));
    const unreadable = new Map<number, HoldfastError>();
    const slice = new TimeSlice();
    for await (const outcome of readPieces(tree, indexes, this.#deps, this.#signal)) {
      if (outcome.error) {
        unreadable.set(outcome.index, outcome.error);
        this.#failures.addError(TREE_PATH, outcome.error, `from ${pieces[outcome.index]!.firstPath}`);
        continue;
      }
      for (const record of outcome.records) {
        if (mayBeDatabase(record) && filter.isRequested(record.path)) {
          for (const suffix of SIDECARS) filter.alsoTake(record.path + suffix);
        }
        if (filter.takes(record.path)) this.#store.addRecord(record, this.#sessionOf(record.path, filter));
      }
      for (const path of outcome.refused) {
        if (path === undefined || filter.takes(path))
          this.#failures.add(path ?? TREE_PATH, 'tree_invalid', undefined, 'record');
      }
      if (slice.isOver) await slice.yield();
    }
    for (const { path } of filter.missing()) {
      const error = [...piecesWithin(pieces, path)].map((index) => unreadable.get(index)).find(Boolean);
      if (!error) throw await this.#notFound(tree, path);
      this.#failures.addError(path, error);
    }
  }

  /** Each requested path has its own restore session. */
  #sessionOf(path: string, filter: PathFilter): number {
    return this.#deps.service.manifests === 'none' ? 0 : filter.indexOf(path);
  }

  async #notFound(tree: OpenTree, path: string): Promise<HoldfastError> {
    const nearest = await nearestEntries(tree, path, this.#deps, this.#signal);
    return new HoldfastError('path_not_found', nearest);
  }

  /** @returns the restore sessions */
  async #compareManifest(
    point: FoundRestorePoint,
    prefixes: readonly string[],
    sealed: boolean,
  ): Promise<readonly string[]> {
    if (this.#deps.service.manifests === 'none') return [point.restoreSessionId];
    const comparison = new ManifestComparison(this.#store);
    const sessions = await this.#requestFiles(point, prefixes, comparison, sealed);
    if (comparison.hasOtherTotals) this.#warnTotals();
    for (const path of await comparison.differing()) {
      this.#warnings.push({ path, reason: 'service_answer_suspicious' });
    }
    return sessions;
  }

  #warnTotals(): void {
    this.#warnings.push({ path: this.#request.source.backupSet, reason: 'service-totals' });
  }

  async #planWithoutTree(point: FoundRestorePoint): Promise<Sources> {
    const files = new ManifestOnlyPlan(this.#store);
    const filter = new PathFilter(this.#request.paths);
    const sessions = await this.#requestFiles(point, filter.paths, files, undefined);
    if (files.hasOtherTotals) this.#warnTotals();
    for (const path of await files.plan(filter)) this.#failures.add(path, 'tree_invalid', undefined, 'ENOTDIR');
    for (const path of files.refused) this.#failures.add(path, 'service_broken');
    const [missing] = filter.missing();
    if (missing) throw new HoldfastError('path_not_found', { ...missing });
    return { sessions, roots: files.root === undefined ? [] : [files.root], paths: filter.paths };
  }

  #requestFiles(
    { restorePoint }: FoundRestorePoint,
    prefixes: readonly string[],
    receiver: ManifestReceiver,
    sealed: boolean | undefined,
  ): Promise<readonly string[]> {
    const { service } = this.#deps;
    const { source } = this.#request;
    const request = { source, restorePoint, prefixes, service, names: this.#names, sealed };
    return requestFiles(request, receiver, this.#signal);
  }
}

/** Every page of a database of SQLite, and so every database, is a multiple of this. */
const PAGE_UNIT = 512;

/** What has its name with `-wal` or `-journal` is a part of it. */
function mayBeDatabase(record: TreeRecord): boolean {
  return record.type === 'file' && record.size > 0 && record.size % PAGE_UNIT === 0;
}

/** Returns `undefined` if the footer has not all warnings. */
function unreadIn({ warnings, warningsTotal }: VerifiedFooter): ReadonlySet<string> | undefined {
  if (warningsTotal > warnings.length) return undefined;
  return new Set(warnings.filter(({ reason }) => reason !== 'attributes-too-large').map(({ path }) => path));
}

interface Sources {
  /** What was requested, with the logs of requested databases. */
  readonly paths: readonly string[];
  readonly sessions: readonly string[];
  readonly roots: readonly string[];
}
