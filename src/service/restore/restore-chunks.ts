import type { ServiceContext } from '../context.ts';
import { ChunkIdSet } from '../store/backup/chunk-id-set.ts';
import type { RestoreSession } from '../store/restores/restores.ts';
import type { StoredVersion } from '../store/backup/tree-store.ts';
import { chunkCountOf, chunkIdAt } from '../store/backup/packed-chunks.ts';
import { scanDirectory, scanTree } from './tree-scan.ts';

/** Sessions whose chunks are kept in memory; those of others are read from the tree again when they are asked for. */
const SESSIONS_REMEMBERED = 32;

/** What one restore session may fetch, and what of it was not handed out yet. */
export class RestoreChunks {
  readonly #all = new ChunkIdSet();
  readonly #left = new ChunkIdSet();

  get unique(): number {
    return this.#all.size;
  }

  /** Whether every chunk has been handed out. */
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

  /** Whether one of the tree was handed out already. */
  wasHandedOut(id: number): boolean {
    return this.#all.has(id) && !this.#left.has(id);
  }

  handOut(id: number): void {
    this.#left.delete(id);
  }
}

/** The chunks of restore sessions, as bits: a million take a quarter of a megabyte. */
export class RestoreChunkMemory {
  readonly #sessions = new Map<string, RestoreChunks>();

  remember(id: string, chunks: RestoreChunks): void {
    this.#sessions.delete(id);
    this.#sessions.set(id, chunks);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > SESSIONS_REMEMBERED && oldest !== undefined) this.#sessions.delete(oldest);
  }

  /** After a restart, or when many others came in between, the session's tree is read again. */
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
