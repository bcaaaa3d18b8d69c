import type { ServiceContext } from '../context.ts';
import type { MetadataStore } from '../metadata-store.ts';
import { ChunkIdSet } from '../backup/store/chunk-id-set.ts';
import { chunkCountOf, chunkIdAt } from '../backup/store/packed-chunks.ts';
import { DamagedMetadataError, requireStructure, soundVersions } from './sound-versions.ts';
import { DAY } from '../../model/units.ts';

/** Milliseconds between the search that finds a chunk unreferenced and its deletion, at the earliest. */
export const GRACE = DAY;

/** Milliseconds between two searches if no restore point was removed: failed sessions leave unreferenced chunks, too. */
const SEARCH_INTERVAL = 7 * DAY;

const PAGE = 5_000;

export interface CollectorParts
  extends Pick<MetadataStore, 'retention' | 'collection'>, Pick<ServiceContext, 'objects' | 'clock'> {}

/**
 * Condemns the unreferenced chunks of an account, and drops those that were condemned at least a day ago and that have not
 * been reported to a client since. Runs beside all other work, but only once at a time (`MetadataStore.exclusively`). The
 * order of its steps is part of the proof in docs/decisions/0030-collecting-chunks.md.
 *
 * @param signal ends it early with `AbortError`; the next call continues
 * @throws DamagedMetadataError before anything is condemned or dropped
 */
export async function collectChunks(
  parts: CollectorParts,
  account: { readonly id: string; readonly number: number },
  signal: AbortSignal,
): Promise<void> {
  const { retention, collection, clock } = parts;
  await deleteDropped(parts, signal);
  if (await retention.isHeld(account.id)) return;
  const now = clock.now();
  await collection.beginAnew(account.id, now);
  const due = await collection.due(account.id, now - GRACE);
  const collectedAt = await collection.collectedAt(account.id);
  if (due.length === 0 && !isSearchDue(collectedAt, now)) return;
  await requireStructure(retention);
  // After `due`, so that it includes the references of the sessions before each mark, which have ended.
  const referenced = await referencedChunks(parts, account.id, signal);
  for (const { mark } of due) await dropCondemned(parts, mark, referenced, signal);
  await condemnOthers(parts, account, referenced, signal);
  await collection.collected(account.id, now);
}

/** A time in the future comes from a clock that was wrong. */
export function isSearchDue(collectedAt: number, now: number): boolean {
  return collectedAt <= now - SEARCH_INTERVAL || collectedAt > now;
}

/** Returns the chunks of all versions of the account's files, including those of unfinished sessions. */
async function referencedChunks(
  { retention }: CollectorParts,
  accountId: string,
  signal: AbortSignal,
): Promise<ChunkIdSet> {
  const referenced = new ChunkIdSet();
  for (const setNumber of await retention.setsOf(accountId)) {
    for await (const page of soundVersions(retention, setNumber, signal)) {
      for (const { chunks } of page) {
        for (let index = 0; index < chunkCountOf(chunks); index += 1) referenced.add(chunkIdAt(chunks, index));
      }
    }
  }
  return referenced;
}

async function dropCondemned(
  parts: CollectorParts,
  mark: number,
  referenced: ChunkIdSet,
  signal: AbortSignal,
): Promise<void> {
  const { collection } = parts;
  for (let after = 0; ;) {
    signal.throwIfAborted();
    const ids = await collection.condemned(mark, after, PAGE);
    if (ids.length === 0) break;
    after = ids.at(-1)!;
    await collection.spare(ids.filter((id) => referenced.has(id)));
    const unreferenced = ids.filter((id) => !referenced.has(id));
    if (unreferenced.length > 0) await collection.drop(mark, unreferenced);
    await deleteDropped(parts, signal);
  }
  // Keeps everything while an account is held.
  if ((await collection.condemned(mark, 0, 1)).length === 0) await collection.forget(mark);
}

async function condemnOthers(
  { collection, clock }: CollectorParts,
  account: { readonly id: string; readonly number: number },
  referenced: ChunkIdSet,
  signal: AbortSignal,
): Promise<void> {
  let mark: number | undefined;
  for (let after: Buffer = Buffer.alloc(0); ;) {
    signal.throwIfAborted();
    const page = await collection.chunks(account.number, after, PAGE);
    if (page.length === 0) break;
    after = page.at(-1)!.digest;
    const unreferenced = page.filter(({ id }) => !referenced.has(id)).map(({ id }) => id);
    if (unreferenced.length > 0) {
      mark ??= await collection.begin(account.id, clock.now());
      await collection.condemn(mark, unreferenced);
    }
    await new Promise(setImmediate);
  }
  if (mark !== undefined) await collection.finish(mark, clock.now());
}

/** The chunks' rows are gone, so the same digest uploaded now gets a new chunk id, and a blob with another name. */
async function deleteDropped({ retention, collection, objects }: CollectorParts, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const keys = await collection.dropped(PAGE);
    if (keys.length === 0) return;
    const [living] = (await retention.digests(keys.map(({ chunkId }) => chunkId))).keys();
    if (living !== undefined) throw new DamagedMetadataError(`chunk ${living} is stored and to be deleted`);
    await objects.delete(keys);
    await collection.deleted(keys.map((key) => key.chunkId));
  }
}
