import type { Clock } from '../../base/clock.ts';
import type { Folder } from '../../os/filesystem/folder.ts';
import type { RestorePool } from '../tasks.ts';
import type { ChunkLocation, ChunkSource } from '../../read/chunks/chunk-source.ts';
import type { WantedChunk } from '../../read/chunks/wanted-chunks.ts';
import type { PlannedWork } from '../record/planned-entry.ts';
import type { RestoreRun } from './restore-run.ts';
import type { Naming } from './write-files.ts';
import type { EpochKeys } from '../../format/crypto/keys.ts';

/** A file or link to be written, with its folder in the target. */
export interface PlacedEntry {
  readonly work: PlannedWork;
  readonly folder: Folder;
  /** Path of the folder below the target folder, as names. */
  readonly folderNames: readonly string[];
  readonly name: string;
  readonly partialName: string;
  /** What it replaces in its original place, as `MovedAside.keep` returns it; `free` if that has gone. */
  readonly kept?: string;
}

/** Collaborators that all writers share. */
export interface WriteContext {
  readonly run: RestoreRun;
  readonly source: ChunkSource;
  readonly pool: RestorePool;
  readonly clock: Clock;
  readonly chunkSubKeys: EpochKeys;
  /** Restore sessions; entries refer to them by index. */
  readonly sessions: readonly string[];
}

/** The path of a name in the entry's folder, below the target folder. */
export function locationOf({ folderNames }: Pick<PlacedEntry, 'folderNames'>, name: string): string {
  return [...folderNames, name].join('/');
}

/** Returns the way in which the entry is made and named. */
export function namingOf({ work, name, partialName, kept }: PlacedEntry, run: RestoreRun): Naming {
  const replace = work.action === 'replace' && kept !== 'free';
  const replaced = replace && kept !== undefined ? { replaced: kept } : {};
  return { partialName, name, replace, ...replaced, metadata: run.metadataOf(work) };
}

export interface RepeatedChunk {
  readonly chunk: WantedChunk;
  readonly location: ChunkLocation;
}

/**
 * Locates the repeated chunks among consecutive ones of a file.
 *
 * @param sizes bytes of each chunk's plaintext, by its hash
 * @param at the file below the target folder, and the offset of the first chunk
 */
export function repeatedChunks(
  list: readonly WantedChunk[],
  sizes: ReadonlyMap<string, number>,
  at: { readonly target: string; readonly offset: number },
  source: ChunkSource,
): readonly RepeatedChunk[] {
  const repeated: RepeatedChunk[] = [];
  let { offset } = at;
  for (const chunk of list) {
    const length = sizes.get(chunk.hash) ?? 0;
    if (source.isRepeated(chunk)) repeated.push({ chunk, location: { target: at.target, offset, length } });
    offset += length;
  }
  return repeated;
}

/** Pairs the hashes of chunks with the sizes that a worker has found. */
export function sizesByHash(chunks: readonly WantedChunk[], sizes: Uint32Array): ReadonlyMap<string, number> {
  return new Map(chunks.map(({ hash }, index) => [hash, sizes[index]!]));
}
