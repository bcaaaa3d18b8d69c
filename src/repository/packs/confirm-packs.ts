import pLimit from 'p-limit';
import { packHashIn, PACKS_FOLDER } from '../../format/repository/file-names.ts';
import type { Projection } from '../projection/projection.ts';
import type { StoredFile } from '../../storage/storage.ts';
import { leaveOut, type OnUnreadable } from '../../storage/unreadable.ts';
import { readIfSound, takePack, type PackStore } from './read-pack-end.ts';

export interface PackStoreWithProjection extends PackStore {
  readonly projection: Projection;
}

/** A store lists the packs of up to so many folders in fewer requests than all. */
const MOST_FOLDERS = 16;

/**
 * Looks for the files of packs that ledgers state and that were never seen: in one listing, or in those of their folders. A pack that is
 * not there, or has another length, stays unseen, and no backup counts on it.
 */
export async function seePacks({ storage, projection }: PackStoreWithProjection, signal?: AbortSignal): Promise<void> {
  const { packs } = projection;
  const unseen = new Map(packs.unseen().map(({ hash, bytes }) => [hash.toString('hex'), { hash, bytes }]));
  if (unseen.size === 0) return;
  const seen: Buffer[] = [];
  for await (const { name, bytes } of filesOf(storage, [...unseen.keys()], signal, leaveOut)) {
    const pack = unseen.get(packHashIn(name) ?? '');
    if (pack?.bytes === bytes) seen.push(pack.hash);
  }
  projection.change(() => seen.forEach((hash) => packs.markSeen(hash)));
}

/** Forgets packs of a run that was killed if they are no longer there. Their own tables say what is in them. */
export async function confirmUnreported(store: PackStoreWithProjection, signal?: AbortSignal): Promise<void> {
  const { projection } = store;
  const { packs } = projection;
  for (const { hash, bytes, contents } of packs.unreported()) {
    const end = await readIfSound(store, hash.toString('hex'), bytes, signal);
    if (end?.table.equals(contents) === true) continue;
    projection.change(() => {
      packs.forgetUnreported(hash);
      if (end) takePack(projection, hash, end);
    });
  }
}

/**
 * Reads the tables of packs of which writers state different ones: a pack's own table is right, and sealed under the key that they all
 * have. Packs that cannot be read stay contested, and no backup counts on them.
 */
export async function proveContested(store: PackStoreWithProjection, signal?: AbortSignal): Promise<void> {
  const { storage, projection } = store;
  const contested = projection.packs.contested().map((hash) => hash.toString('hex'));
  if (contested.length === 0) return;
  const wanted = new Set(contested);
  const limit = pLimit(storage.concurrency);
  const running: Promise<void>[] = [];
  for await (const { name, bytes } of filesOf(storage, contested, signal, leaveOut)) {
    const hash = packHashIn(name);
    if (hash === undefined || !wanted.has(hash)) continue;
    running.push(
      limit(async () => {
        const end = await readIfSound(store, hash, bytes, signal);
        if (!end) return;
        projection.change(() => takePack(projection, Buffer.from(hash, 'hex'), end));
      }),
    );
  }
  await Promise.all(running).finally(() => limit.clearQueue());
}

/** Yields the files in the folders of packs, and perhaps others. */
export async function* filesOf(
  storage: PackStore['storage'],
  hashes: readonly string[],
  signal: AbortSignal | undefined,
  onUnreadable: OnUnreadable,
): AsyncGenerator<StoredFile> {
  const folders = new Set(hashes.map((hash) => `${PACKS_FOLDER}${hash.slice(0, 2)}/`));
  for (const folder of folders.size > MOST_FOLDERS ? [PACKS_FOLDER] : folders) {
    for await (const batch of storage.list(folder, signal, onUnreadable)) yield* batch;
  }
}
