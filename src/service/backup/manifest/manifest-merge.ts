import { sameVersion } from '../store/tree-store.ts';
import { ServiceProblem } from '../../request/problem.ts';
import { pathOfSortKey } from '../../../model/entry-path.ts';
import type { BackupSession } from '../store/session.ts';
import type { FileVersion, StagedState, StoredVersion, TreeChanges, TreeStore } from '../store/tree-store.ts';

/** Versions of the base tree that are read at once. */
const PAGE = 2_000;

/** The result of comparing one batch of a manifest with the base tree. */
export interface MergedBatch {
  /** New or changed versions, which must be staged together with `ends`. */
  readonly changed: readonly FileVersion[];
  /** Unchanged versions of the base tree. */
  readonly unchanged: readonly StoredVersion[];
  readonly ends: TreeChanges['ends'];
  readonly continued: TreeChanges['continued'];
}

/**
 * Compares a manifest, as it arrives, with the tree that its session is relative to.
 *
 * Entries in path order advance a frontier: files of the base tree between the old frontier and the new one that are not in the
 * manifest count as removed. This merges two sorted lists, a page at a time. An entry that arrives behind the frontier (from a client
 * with another order) is looked up separately, and its removal is undone.
 */
export class ManifestMerge {
  readonly #trees: TreeStore;
  readonly #session: BackupSession;
  #frontier = '';

  constructor(trees: TreeStore, session: BackupSession) {
    this.#trees = trees;
    this.#session = session;
  }

  /**
   * Compares a batch; the result must be staged before the next call. @throws ServiceProblem 422 if a path occurs twice
   */
  async merge(entries: readonly FileVersion[]): Promise<MergedBatch> {
    const batch = newBatch();
    const late: FileVersion[] = [];
    const inOrder: FileVersion[] = [];
    let frontier = this.#frontier;
    for (const entry of entries) {
      if (keyIsBehind(entry.pathKey, frontier)) {
        inOrder.push(entry);
        frontier = entry.pathKey;
      } else late.push(entry);
    }
    if (inOrder.length > 0) await this.#advance(inOrder, frontier, batch);
    if (late.length > 0) await this.#insert(late, inOrder, batch);
    return batch;
  }

  /** Removes, after the last entry, the files of the base tree behind the frontier, a page at a time. */
  async *finish(): AsyncGenerator<TreeChanges> {
    for (;;) {
      const page = await this.#page(undefined);
      if (page.length > 0) yield { versions: [], ends: page, continued: [] };
      if (page.length < PAGE) return;
      this.#frontier = page.at(-1)!.pathKey;
    }
  }

  async #advance(entries: readonly FileVersion[], upTo: string, batch: Batch): Promise<void> {
    let next = 0;
    for (;;) {
      const page = await this.#page(upTo);
      for (const base of page) {
        while (next < entries.length && keyIsBehind(base.pathKey, entries[next]!.pathKey)) {
          batch.changed.push(entries[next]!);
          next += 1;
        }
        const entry = entries[next];
        if (entry?.pathKey === base.pathKey) {
          compare(entry, base, batch);
          next += 1;
        } else batch.ends.push(base);
      }
      if (page.length < PAGE) break;
      this.#frontier = page.at(-1)!.pathKey;
    }
    for (; next < entries.length; next += 1) batch.changed.push(entries[next]!);
    this.#frontier = upTo;
  }

  async #insert(late: readonly FileVersion[], inOrder: readonly FileVersion[], batch: Batch): Promise<void> {
    const here = new Set(inOrder.map((entry) => entry.pathKey));
    const endedHere = new Map(batch.ends.map((end) => [end.pathKey, end]));
    const states = await this.#trees.staged(
      this.#session,
      late.map((entry) => entry.pathKey),
    );
    for (const [index, entry] of late.entries()) {
      const { pathKey } = entry;
      const ended = states[index]!.ended || endedHere.has(pathKey);
      if (here.has(pathKey) || wasSeen(states[index]!, ended)) throw duplicate(pathKey);
      here.add(pathKey);
      const { base } = states[index]!;
      if (!base || !sameVersion(entry, base)) batch.changed.push(entry);
      else {
        batch.unchanged.push(base);
        if (endedHere.has(pathKey)) endedHere.delete(pathKey);
        else batch.continued.push(pathKey);
      }
    }
    batch.ends = [...endedHere.values()];
  }

  #page(upTo: string | undefined): Promise<readonly StoredVersion[]> {
    const { setNumber, base } = this.#session;
    const range = { setNumber, sequence: base, after: this.#frontier, limit: PAGE };
    return this.#trees.range(upTo === undefined ? range : { ...range, upTo });
  }
}

/** A batch that is being assembled. */
export interface Batch extends MergedBatch {
  changed: FileVersion[];
  unchanged: StoredVersion[];
  ends: { readonly pathKey: string; readonly validFrom: number }[];
  continued: string[];
}

export function newBatch(): Batch {
  return { changed: [], unchanged: [], ends: [], continued: [] };
}

function compare(entry: FileVersion, base: StoredVersion, batch: Batch): void {
  if (sameVersion(entry, base)) {
    batch.unchanged.push(base);
    return;
  }
  batch.changed.push(entry);
  batch.ends.push(base);
}

/** A path behind the frontier occurred before if the session brings it, or its base version has not ended. */
function wasSeen(state: StagedState, ended: boolean): boolean {
  return state.staged || (state.base !== undefined && !ended);
}

function duplicate(pathKey: string): ServiceProblem {
  return new ServiceProblem('unprocessable', { detail: `${pathOfSortKey(pathKey)} stands twice in the manifest` });
}

/** Compares keys by their UTF-8 bytes, like the store. JavaScript's own order differs for surrogates. */
export function keyIsBehind(key: string, other: string): boolean {
  const length = Math.min(key.length, other.length);
  for (let index = 0; index < length; index += 1) {
    const a = key.charCodeAt(index);
    const b = other.charCodeAt(index);
    if (a !== b) return byteRank(a) > byteRank(b);
  }
  return key.length > other.length;
}

function byteRank(codeUnit: number): number {
  if (codeUnit < 0xd800) return codeUnit;
  return codeUnit < 0xe000 ? codeUnit + 0x2000 : codeUnit - 0x800;
}
