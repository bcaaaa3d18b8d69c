import { TREE_PATH } from '../../../protocol/path.ts';
import type { RunWarning } from '../../job/run-warning.ts';
import { PathNames } from '../../crypto/path-names.ts';
import { HoldfastError, isHoldfastError } from '../../../base/errors.ts';
import type { VerifiedTree } from '../../tree/record.ts';
import { FailureList } from '../failure-list.ts';
import { requestFiles } from '../source/manifest.ts';
import { ManifestOnlyPlan } from './manifest-only.ts';
import { ManifestJoin } from './manifest-join.ts';
import { PathFilter } from '../source/path-filter.ts';
import type { PlanStore } from './plan-store.ts';
import { readTree } from '../source/tree.ts';
import { checkSequence } from '../source/seen-tree.ts';
import { nameBases, type RestoreBase } from './target-names.ts';
import { findTreeEntry, type TreeEntry } from '../source/restore-point.ts';
import type { RestoreDependencies, RestoreSource } from '../types.ts';

/** What a restore point holds of what was asked for; the entries themselves are in the store. */
export interface Plan {
  readonly entry: TreeEntry;
  /** Whether there was a tree, and our keys opened all of it. */
  readonly hasTree: boolean;
  readonly restorePoint: string;
  /** Restore sessions, by the number that the entries have. */
  readonly sessions: readonly string[];
  readonly bases: readonly RestoreBase[];
  readonly warnings: readonly RunWarning[];
  readonly failures: FailureList;
}

export interface PlanRequest {
  readonly source: RestoreSource;
  /** Entry paths; none is everything. */
  readonly paths: readonly string[];
  /** Nothing is remembered of what was seen, so that a look writes nowhere. */
  readonly isLook?: boolean;
}

export type PlanDependencies = Pick<RestoreDependencies, 'service' | 'downloader' | 'catalog' | 'keys' | 'clock'>;

/**
 * Fetches tree and manifest and joins them in the store. What does not fit together is named in the plan's failures, and
 * whatever can be restored stays in the plan.
 *
 * @throws HoldfastError `no_restore_point`, `path_not_found` (details `{path, parent, names}`), and what the service throws
 */
export async function makePlan(
  request: PlanRequest,
  store: PlanStore,
  deps: PlanDependencies,
  signal?: AbortSignal,
): Promise<Plan> {
  const entry = await findTreeEntry(request.source, deps, signal);
  const planning = new Planning(request, store, deps, signal);
  return planning.make(entry);
}

class Planning {
  readonly #source: RestoreSource;
  readonly #paths: readonly string[];
  readonly #isLook: boolean;
  readonly #store: PlanStore;
  readonly #deps: PlanDependencies;
  readonly #signal: AbortSignal | undefined;
  readonly #names: PathNames;
  readonly #warnings: RunWarning[] = [];
  readonly #failures = new FailureList();

  constructor(
    { source, paths, isLook = false }: PlanRequest,
    store: PlanStore,
    deps: PlanDependencies,
    signal: AbortSignal | undefined,
  ) {
    this.#source = source;
    this.#paths = paths;
    this.#isLook = isLook;
    this.#store = store;
    this.#deps = deps;
    this.#signal = signal;
    this.#names = new PathNames(deps.keys.path);
  }

  async make(entry: TreeEntry): Promise<Plan> {
    const footer = await this.#readTree(entry);
    const { sessions, roots } = footer ? await this.#joinTree(entry, footer) : await this.#planForeign(entry);
    const filter = new PathFilter(this.#paths);
    const bases = nameBases(filter.paths.length > 0 ? filter.paths : roots);
    const { restorePoint } = entry;
    return {
      entry,
      hasTree: footer !== undefined,
      restorePoint,
      sessions,
      bases,
      warnings: this.#warnings,
      failures: this.#failures,
    };
  }

  /** Nothing where there is no tree, or none that can be used: then the files are restored without it. */
  async #readTree(entry: TreeEntry): Promise<VerifiedTree | undefined> {
    const { chunks } = entry;
    const filter = new PathFilter(this.#paths);
    if (!chunks) {
      this.#warnings.push({ path: TREE_PATH, reason: 'no-tree' });
      return undefined;
    }
    try {
      const footer = await readTree(
        this.#source,
        { ...entry, chunks },
        this.#deps,
        (records) => {
          for (const record of records) if (filter.takes(record.path)) this.#store.addRecord(record);
        },
        this.#signal,
      );
      this.#warnings.push(...checkSequence(this.#source, footer, this.#deps.catalog, this.#isLook));
      throwIfMissing(filter);
      return footer;
    } catch (error) {
      if (!isHoldfastError(error) || !TREE_FAILURES.has(error.code)) throw error;
      this.#failures.addError(TREE_PATH, error);
      this.#store.clear();
      return undefined;
    }
  }

  async #joinTree(entry: TreeEntry, footer: VerifiedTree): Promise<Sources> {
    const join = new ManifestJoin(this.#store, footer.pieceEnds);
    const prefixes = new PathFilter(this.#paths).paths;
    const sessions = await this.#request(entry, prefixes, join, footer.privateNames);
    if (prefixes.length === 0 && join.entriesHash((path) => this.#names.sealPath(path)) !== footer.entriesHash) {
      this.#failures.add(TREE_PATH, 'tree_invalid', undefined, 'entries-altered');
    }
    for (const path of join.strangers) this.#warnings.push({ path, reason: 'service_answer_suspicious' });
    return { sessions, roots: footer.roots };
  }

  async #planForeign(entry: TreeEntry): Promise<Sources> {
    const files = new ManifestOnlyPlan(this.#store);
    const filter = new PathFilter(this.#paths);
    const sessions = await this.#request(entry, filter.paths, files, undefined);
    for (const path of await files.plan(filter)) this.#failures.add(path, 'tree_invalid', undefined, 'ENOTDIR');
    throwIfMissing(filter);
    return { sessions, roots: files.root === undefined ? [] : [files.root] };
  }

  #request(
    entry: TreeEntry,
    prefixes: readonly string[],
    receiver: ManifestJoin | ManifestOnlyPlan,
    sealed: boolean | undefined,
  ): Promise<readonly string[]> {
    const parts = { service: this.#deps.service, names: this.#names, sealed };
    return requestFiles(this.#source, entry.restorePoint, prefixes, parts, receiver, this.#signal);
  }
}

interface Sources {
  readonly sessions: readonly string[];
  readonly roots: readonly string[];
}

/** What may be wrong with a tree without its files being lost. */
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
