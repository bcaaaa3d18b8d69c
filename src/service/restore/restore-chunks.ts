import { CHECKED_CHUNKS } from '../../protocol/extensions.ts';
import type { ServiceContext } from '../context.ts';
import { ChunkIdSet } from '../backup/store/chunk-id-set.ts';
import type { RestoreSession } from './restore-store.ts';
import type { StoredVersion } from '../backup/store/tree-store.ts';
import { chunkCountOf, chunkIdAt } from '../backup/store/packed-chunks.ts';
import { scanDirectory, scanTree } from './tree-scan.ts';

/** Sessions whose chunks are kept in memory; those of others are read from the tree again when needed. */
const SESSIONS_REMEMBERED = 32;
const CHECKS_REMEMBERED = 10_000;

/** The chunks that one restore session may download, and those that were not handed out yet. */
export class RestoreChunks {
  readonly #all = new ChunkIdSet();
  readonly #left = new ChunkIdSet();

  get unique(): number {
    return this.#all.size;
  }

  /** Returns whether every chunk has been handed out. */
  get exhausted(): boolean {
    return this.#left.size === 0;
  }

  addFile({ chunks }: StoredVersion): void {
    for (let index = 0; index < chunkCountOf(chunks); index += 1) {
      const id = chunkIdAt(chunks, index);
      if (this.#all.add(id)) this.#left.add(id);
    }
  }

  has(id: number): boolean {
    return this.#all.has(id);
  }

  /** Returns whether a chunk of the tree was handed out already. */
  wasHandedOut(id: number): boolean {
    return this.#all.has(id) && !this.#left.has(id);
  }

  handOut(id: number): void {
    this.#left.delete(id);
  }
}

/** The collaborators of a restore. */
export interface RestoreContext {
  readonly service: ServiceContext;
  readonly restores: RestoreChunkMemory;
}

/** The chunks of restore sessions, as bits: a million take a quarter of a megabyte. */
export class RestoreChunkMemory {
  readonly #sessions = new Map<string, RestoreChunks>();
  /** Chunks that backup sessions have checked. */
  readonly #checks = new Map<string, number>();

  remember(id: string, chunks: RestoreChunks): void {
    this.#sessions.delete(id);
    this.#sessions.set(id, chunks);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > SESSIONS_REMEMBERED && oldest !== undefined) this.#sessions.delete(oldest);
  }

  /** Counts chunks that a backup session checks; returns false if these are too many. */
  mayCheck(id: string, chunks: number): boolean {
    const checked = (this.#checks.get(id) ?? 0) + chunks;
    if (checked > CHECKED_CHUNKS) return false;
    this.#checks.delete(id);
    this.#checks.set(id, checked);
    const [oldest] = this.#checks.keys();
    if (this.#checks.size > CHECKS_REMEMBERED && oldest !== undefined) this.#checks.delete(oldest);
    return true;
  }

  /** Returns a session's chunks; reads its tree again after a restart, or if it was evicted. */
  async of({ metadata }: ServiceContext, session: RestoreSession): Promise<RestoreChunks> {
    const known = this.#sessions.get(session.id);
    if (known) {
      this.remember(session.id, known);
      return known;
    }
    const chunks = new RestoreChunks();
    const files = session.recursive
      ? scanTree(metadata.trees, session)
      : scanDirectory(metadata.trees, session, () => undefined);
    for await (const page of files) for (const file of page) chunks.addFile(file);
    this.remember(session.id, chunks);
    return chunks;
  }
}
