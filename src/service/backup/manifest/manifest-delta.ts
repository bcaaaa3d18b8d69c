import { entryPath } from '../../../protocol/path.ts';
import { pathOfSortKey, pathSortKey } from '../../../model/entry-path.ts';
import { ServiceProblem } from '../../request/problem.ts';
import type { BackupSession, RestorePointRow } from '../store/session.ts';
import type { FileVersion, StoredVersion, TreeStore } from '../store/tree-store.ts';
import { sameVersion } from '../store/tree-store.ts';
import { readManifestEntry } from './manifest-entry.ts';
import { keyIsBehind, newBatch, type Batch, type MergedBatch } from './manifest-merge.ts';

/** Versions of the base tree that are read at once. */
const PAGE = 2_000;

/** The separator that replaces `/` in keys, and the character that follows it. */
const BELOW = '\u0001';
const BEHIND = '\u0002';

/** An element of a delta manifest. */
type Change =
  | { readonly kind: 'file'; readonly pathKey: string; readonly entry: FileVersion }
  | { readonly kind: 'removed'; readonly pathKey: string };

/**
 * Applies the differences from the tree that the session is relative to, as they arrive: new and changed files, and paths that are
 * removed with everything below them. They arrive in path order, a removal before new files at or below its path.
 */
export class ManifestDelta {
  readonly #trees: TreeStore;
  readonly #session: BackupSession;
  #last = '';
  #lastIsRemoval = false;
  /** The last removal that is not inside another one. */
  #removed: string | undefined;
  #files: number;
  #bytes: number;

  /** @param base the run of that tree */
  constructor(trees: TreeStore, session: BackupSession, base: RestorePointRow) {
    this.#trees = trees;
    this.#session = session;
    this.#files = base.files;
    this.#bytes = base.bytes;
  }

  /** Totals of the new tree, as far as it has arrived. */
  get totals(): { readonly files: number; readonly bytes: number } {
    return { files: this.#files, bytes: this.#bytes };
  }

  /** Each batch must be staged before the next one is requested. */
  async *merge(elements: readonly unknown[]): AsyncGenerator<MergedBatch> {
    let files: FileVersion[] = [];
    for (const change of elements.map(readChange)) {
      this.#follow(change);
      if (change.kind === 'file') {
        files.push(change.entry);
        continue;
      }
      yield await this.#mergeFiles(files);
      files = [];
      yield* this.#remove(change.pathKey);
    }
    yield await this.#mergeFiles(files);
  }

  #follow({ kind, pathKey }: Change): void {
    const isAfterItsRemoval = pathKey === this.#last && this.#lastIsRemoval && kind === 'file';
    if (!isAfterItsRemoval && !keyIsBehind(pathKey, this.#last)) {
      throw new ServiceProblem('unprocessable', { detail: `${pathOfSortKey(pathKey)} is not in the order of paths` });
    }
    this.#last = pathKey;
    this.#lastIsRemoval = kind === 'removed';
  }

  async *#remove(pathKey: string): AsyncGenerator<MergedBatch> {
    if (this.#isRemoved(pathKey)) return;
    this.#removed = pathKey;
    const { setNumber, base: sequence } = this.#session;
    const itself = await this.#trees.find(setNumber, sequence, pathKey);
    if (itself) yield this.#ended([itself]);
    for (let after = pathKey + BELOW; ;) {
      const page = await this.#trees.range({ setNumber, sequence, after, upTo: pathKey + BEHIND, limit: PAGE });
      if (page.length > 0) yield this.#ended(page);
      if (page.length < PAGE) return;
      after = page.at(-1)!.pathKey;
    }
  }

  #ended(versions: readonly StoredVersion[]): MergedBatch {
    for (const version of versions) this.#count(-1, version);
    return { ...newBatch(), ends: versions };
  }

  async #mergeFiles(files: readonly FileVersion[]): Promise<MergedBatch> {
    const batch = newBatch();
    if (files.length === 0) return batch;
    const keys = files.map((file) => file.pathKey);
    const states = await this.#trees.staged(this.#session, keys);
    for (const [index, entry] of files.entries()) this.#compare(entry, states[index]!.base, batch);
    return batch;
  }

  #compare(entry: FileVersion, base: StoredVersion | undefined, batch: Batch): void {
    const isRemoved = this.#isRemoved(entry.pathKey);
    this.#count(1, entry);
    if (base && !isRemoved) this.#count(-1, base);
    if (base && sameVersion(entry, base)) {
      batch.unchanged.push(base);
      if (isRemoved) batch.continued.push(entry.pathKey);
      return;
    }
    batch.changed.push(entry);
    if (base && !isRemoved) batch.ends.push(base);
  }

  #isRemoved(pathKey: string): boolean {
    const removed = this.#removed;
    return removed !== undefined && (pathKey === removed || pathKey.startsWith(removed + BELOW));
  }

  #count(sign: 1 | -1, { size }: FileVersion): void {
    this.#files += sign;
    this.#bytes += sign * size;
  }
}

function readChange(element: unknown): Change {
  if (typeof element !== 'object' || element === null || !('removed' in element)) {
    const entry = readManifestEntry(element);
    return { kind: 'file', pathKey: entry.pathKey, entry };
  }
  const path = entryPath.safeParse((element as { path?: unknown }).path);
  if (!path.success || element.removed !== true || !path.data.isWellFormed()) {
    throw new ServiceProblem('malformed_request', { detail: 'files[]: expected {"path", "removed": true} or a file' });
  }
  return { kind: 'removed', pathKey: pathSortKey(path.data) };
}
