import { HoldfastError, isHoldfastError } from '../../../base/errors.ts';
import { TREE_PATH } from '../../../protocol/path.ts';
import { PathNames } from '../../crypto/path-names.ts';
import type { RunWarning } from '../../job/run-warning.ts';
import type { VerifiedTree } from '../../tree/record.ts';
import { FailureList } from '../failure-list.ts';
import { requestFiles, type ManifestReceiver } from '../source/manifest.ts';
import { PathFilter } from '../source/path-filter.ts';
import { findRestorePoint, type FoundRestorePoint } from '../source/restore-point.ts';
import { checkSequence, readTree, treeRecords } from '../source/tree.ts';
import type { RestoreSource } from '../../job/job-request.ts';
import type { RestoreDependencies } from '../types.ts';
import { ManifestJoin } from './manifest-join.ts';
import { ManifestOnlyPlan } from './manifest-only.ts';
import type { PlanStore } from './plan-store.ts';
import { nameBases, type RestoreBase } from './target-names.ts';

/** The requested part of a restore point. Its entries are in the store. */
export interface Plan {
  readonly point: FoundRestorePoint;
  /** True if there was a tree, and our keys opened all of it. */
  readonly hasTree: boolean;
  /** Restore sessions; entries refer to them by index. */
  readonly sessions: readonly string[];
  readonly bases: readonly RestoreBase[];
  readonly warnings: readonly RunWarning[];
  readonly failures: FailureList;
}

export interface PlanRequest {
  readonly source: RestoreSource;
  /** Entry paths; an empty list requests everything. */
  readonly paths: readonly string[];
  /** Does not record the tree that was seen. */
  readonly dryRun?: boolean;
}

export type PlanDependencies = Pick<RestoreDependencies, 'service' | 'downloader' | 'catalog' | 'keys' | 'clock'>;

/**
 * Fetches tree and manifest and joins them in the store. What does not fit together is named in the plan's failures, and
 * everything that can be restored stays in the plan.
 *
 * @throws HoldfastError `no_restore_point`, `path_not_found` (details `{path, parent, names}`), and what the service throws
 */
export async function makePlan(
  request: PlanRequest,
  store: PlanStore,
  deps: PlanDependencies,
  signal?: AbortSignal,
): Promise<Plan> {
  const point = await findRestorePoint(request.source, deps, signal);
  return await new Planning(request, store, deps, signal).make(point);
}

class Planning {
  readonly #request: PlanRequest;
  readonly #store: PlanStore;
  readonly #deps: PlanDependencies;
  readonly #signal: AbortSignal | undefined;
  readonly #names: PathNames;
  readonly #warnings: RunWarning[] = [];
  readonly #failures = new FailureList();

  constructor(request: PlanRequest, store: PlanStore, deps: PlanDependencies, signal: AbortSignal | undefined) {
    this.#request = request;
    this.#store = store;
    this.#deps = deps;
    this.#signal = signal;
    this.#names = new PathNames(deps.keys.path);
  }

  async make(point: FoundRestorePoint): Promise<Plan> {
    const tree = await this.#readTree(point);
    const { sessions, roots } = tree ? await this.#joinTree(point, tree) : await this.#planWithoutTree(point);
    const { paths } = new PathFilter(this.#request.paths);
    return {
      point,
      hasTree: tree !== undefined,
      sessions,
      bases: nameBases(paths.length > 0 ? paths : roots),
      warnings: this.#warnings,
      failures: this.#failures,
    };
  }

  /** Returns `undefined` if there is no usable tree: the files are then restored without it. */
  async #readTree(point: FoundRestorePoint): Promise<VerifiedTree | undefined> {
    const { treeChunks } = point;
    if (!treeChunks) {
      this.#warnings.push({ path: TREE_PATH, reason: 'no-tree' });
      return undefined;
    }
    const { source, paths, dryRun = false } = this.#request;
    const { catalog } = this.#deps;
    const filter = new PathFilter(paths);
    try {
      const all = treeRecords(source, { ...point, treeChunks }, this.#deps, this.#signal);
      const tree = await readTree(all, (records) => {
        for (const record of records) if (filter.takes(record.path)) this.#store.addRecord(record);
      });
      this.#warnings.push(...checkSequence(source, tree, catalog));
      if (!dryRun) catalog.history.recordSeenTree(source.deviceId, source.backupSet, tree);
      throwIfMissing(filter);
      return tree;
    } catch (error) {
      if (!isHoldfastError(error) || !TREE_FAILURES.has(error.code)) throw error;
      this.#failures.addError(TREE_PATH, error);
      this.#store.clear();
      return undefined;
    }
  }

  async #joinTree(point: FoundRestorePoint, tree: VerifiedTree): Promise<Sources> {
    const join = new ManifestJoin(this.#store, tree.pieceEnds);
    const { paths } = new PathFilter(this.#request.paths);
    const sessions = await this.#requestFiles(point, paths, join, tree.privateNames);
    if (paths.length === 0 && join.entriesHash((path) => this.#names.sealPath(path)) !== tree.entriesHash) {
      this.#failures.add(TREE_PATH, 'tree_invalid', undefined, 'entries-altered');
    }
    for (const path of join.unknown) this.#warnings.push({ path, reason: 'service_answer_suspicious' });
    return { sessions, roots: tree.roots };
  }

  async #planWithoutTree(point: FoundRestorePoint): Promise<Sources> {
    const files = new ManifestOnlyPlan(this.#store);
    const filter = new PathFilter(this.#request.paths);
    const sessions = await this.#requestFiles(point, filter.paths, files, undefined);
    for (const path of await files.plan(filter)) this.#failures.add(path, 'tree_invalid', undefined, 'ENOTDIR');
    throwIfMissing(filter);
    return { sessions, roots: files.root === undefined ? [] : [files.root] };
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

interface Sources {
  readonly sessions: readonly string[];
  readonly roots: readonly string[];
}

/** Problems of a tree that leave its files restorable. */
const TREE_FAILURES: ReadonlySet<string> = new Set([
  'tree_invalid',
  'chunk_missing',
  'chunk_tampered',
  'chunk_corrupt',
]);

function throwIfMissing(filter: PathFilter): void {
  const [missing] = filter.missing();
  if (missing) throw new HoldfastError('path_not_found', { ...missing });
}
