import type { LedgerParts } from '../ledger/ledger-files.ts';
import { readLedgers } from '../ledger/read-ledgers.ts';
import { readIfSound, takePack, type PackStore } from './read-pack-end.ts';

/**
 * Forgets what a projection holds, and reads the ledgers from their beginning. Packs that no segment names yet are kept if their own
 * tables can be read.
 *
 * @throws what the storage throws
 */
export async function rebuildProjection(parts: LedgerParts & PackStore, signal?: AbortSignal): Promise<void> {
  const { projection } = parts;
  const unreported = projection.packs.unreported();
  const unfinished = projection.unfinishedPacks.all();
  projection.clear();
  for (const { hash } of unfinished) projection.unfinishedPacks.begin(hash);
  await readLedgers(parts, signal);
  for (const { hash, bytes } of unreported) {
    const end = await readIfSound(parts, hash.toString('hex'), bytes, signal);
    if (!end) continue;
    projection.change(() => takePack(projection, hash, end));
  }
}
