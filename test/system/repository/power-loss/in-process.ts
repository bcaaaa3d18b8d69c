import { rmSync } from 'node:fs';
import { agentOf, type Agent } from '../../../../src/agent/agent.ts';
import type { AgentParts } from '../../../../src/agent/context/agent-parts.ts';
import { openContext } from '../../../../src/agent/context/open-context.ts';
import { homeAt } from '../../../../src/agent/home/home.ts';
import { HomeKeyStore } from '../../../../src/agent/key-store/home-key-store.ts';
import { SystemKeychain } from '../../../../src/agent/key-store/keychain.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { openBlob } from '../../../../src/format/crypto/blob.ts';
import { chunkKeysOf, ENVELOPE_CHUNK_KEY } from '../../../../src/format/crypto/chunk-keys.ts';
import { LiveChunks } from '../../../../src/repository/collect/live-chunks.ts';
import { TreeChunks } from '../../../../src/repository/collect/tree-chunks.ts';
import { findRepository } from '../../../../src/repository/create-repository.ts';
import { newWriterKey } from '../../../../src/format/repository/writer-key.ts';
import { writeCheckpointIfDue } from '../../../../src/repository/ledger/checkpoint.ts';
import type { Point } from '../../../../src/repository/projection/points.ts';
import { Repository } from '../../../../src/repository/repository.ts';
import { BlobReader } from '../../../../src/repository/restore/blob-reader.ts';
import { FolderStorage } from '../../../../src/storage/folder/folder-storage.ts';

/** A restore point and the chunks that it needs. */
export interface FoundPoint {
  readonly device: string;
  readonly set: string;
  readonly time: number;
  /** Digest of its footer, in hex. */
  readonly tree: string;
  /** `sha256:` and the digest in hex. */
  readonly chunks: readonly string[];
}

export function partsOf(home: string): AgentParts {
  const environment = {};
  const at = homeAt(home);
  return { home: at, keyStore: new HomeKeyStore(at, new SystemKeychain(environment)), clock: systemClock, environment };
}

export function agentAt(home: string): Agent {
  return agentOf(partsOf(home));
}

/** Opens a destination as a new computer does. `undefined` if it has no repository. */
export async function openDestination(
  directory: string,
  masterKey: Uint8Array,
  folder: string,
): Promise<(AsyncDisposable & { readonly repository: Repository }) | undefined> {
  await using resources = new AsyncDisposableStack();
  const storage = resources.use(await FolderStorage.open(directory));
  const found = await findRepository(storage);
  if (!found) return undefined;
  const writerKey = newWriterKey();
  resources.defer(() => rmSync(folder, { recursive: true, force: true }));
  const device = { id: writerKey.id, name: 'reader', os: 'Linux', agent: 'test' };
  const { description } = found;
  const options = { storage, description, masterKey, writerKey, device, folder, clock: systemClock };
  const repository = resources.use(new Repository(options));
  repository.projection.database.pragma('synchronous = OFF');
  const opened = resources.move();
  return { repository, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** The restore points of a destination that can be read completely, by id. */
export async function pointsIn(
  directory: string,
  masterKey: Uint8Array,
  folder: string,
): Promise<ReadonlyMap<string, FoundPoint>> {
  await using opened = await openDestination(directory, masterKey, folder);
  const found = new Map<string, FoundPoint>();
  if (!opened) return found;
  const { repository } = opened;
  await repository.refresh();
  for (const point of repository.projection.points.all()) {
    const chunks = await chunksOf(repository, point);
    if (!chunks || (await lostOf(repository, chunks)).length > 0) continue;
    const { device, set, time, tree } = point;
    found.set(point.id.toString('hex'), { device, set, time, tree: tree.toString('hex'), chunks });
  }
  return found;
}

/** Returns `undefined` if the tree cannot be read. */
async function chunksOf(repository: Repository, point: Point): Promise<readonly string[] | undefined> {
  const live = new LiveChunks(new TreeChunks(repository));
  try {
    await live.addAll([point]);
  } catch {
    return undefined;
  }
  return [...live.digests].map((digest) => `sha256:${Buffer.from(digest).toString('hex')}`);
}

/** Reads chunks as a restore does, and returns those that do not come back. */
export async function lostOf(repository: Repository, chunks: readonly string[]): Promise<string[]> {
  const reader = new BlobReader(repository);
  const keys = chunkKeysOf(repository.keys.chunk);
  const lost: string[] = [];
  await reader.download('', [...chunks], (hash, bytes) => {
    const digest = Buffer.from(hash.slice('sha256:'.length), 'hex');
    const isOpened = (open: (blob: Uint8Array) => Buffer): boolean => {
      try {
        return bytes !== undefined && open(bytes).length >= 0;
      } catch {
        return false;
      }
    };
    const isSound = isOpened((blob) => keys.open(blob, digest));
    if (!isSound && !isOpened((blob) => openBlob(ENVELOPE_CHUNK_KEY, blob, digest))) lost.push(hash);
  });
  return lost;
}

/**
 * The trees of restore points that a home lists, in hex. A point that a repair recovered has another id where the segment with the original
 * is lost than in a home that has read it.
 */
export async function treesOf(home: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  await using context = await openContext(partsOf(home), { job: 'trees' });
  const { points } = context.access.repository!.projection;
  return new Set(ids.map((id) => points.find(Buffer.from(id, 'hex'))!.tree.toString('hex')));
}

/** Appends empty segments to a home's ledger, and the checkpoints that are due. */
export async function grow(home: string, segments: number): Promise<void> {
  await using context = await openContext(partsOf(home), { job: 'grow' });
  const { repository } = context.access;
  for (let count = 0; count < segments; count += 1) {
    await repository!.append(async () => {
      await writeCheckpointIfDue(repository!.ledger);
      return [];
    });
  }
}
