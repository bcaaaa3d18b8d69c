import type { ServiceContext } from '../context.ts';
import { ServiceProblem } from '../request/problem.ts';
import { ChunkIdSet } from '../store/backup/chunk-id-set.ts';
import { usedBy, type Quota, type UsedBySet } from '../store/accounts/quotas.ts';
import type { BackupSession, ManifestTotals } from '../store/backup/session-store.ts';
import type { UploadTarget } from './upload-targets.ts';

/** Sessions whose uploads are remembered at most; the oldest are forgotten first. */
const MOST_SESSIONS = 1_000;

interface Offered {
  readonly ids: ChunkIdSet;
  bytes: number;
}

/** What sessions of persons with a quota upload before their manifest arrives. It is local to this process. */
export class EarlyBytes {
  readonly #sessions = new Map<number, Offered>();

  /** Adds chunks of a session; returns the bytes of all that it has offered. */
  add(session: number, chunks: readonly { readonly id: number; readonly bytes: number }[]): number {
    const offered = this.#sessions.get(session) ?? { ids: new ChunkIdSet(), bytes: 0 };
    this.#sessions.set(session, offered);
    for (const { id, bytes } of chunks) {
      if (offered.ids.has(id)) continue;
      offered.ids.add(id);
      offered.bytes += bytes;
    }
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > MOST_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest);
    return offered.bytes;
  }
}

/**
 * Refuses a manifest if the person who registered the device would use more than their quota, and more than before.
 *
 * @throws ServiceProblem `quota_exceeded`
 */
export async function requireRoomOfPerson(
  { metadata }: ServiceContext,
  { deviceId, setNumber }: Pick<BackupSession, 'deviceId' | 'setNumber'>,
  { bytes, bytesNeeded }: Pick<ManifestTotals, 'bytes' | 'bytesNeeded'>,
): Promise<void> {
  const quota = await metadata.quotas.ofDevice(deviceId);
  if (quota) requireBelow(quota, setNumber, ({ brought }) => ({ newest: bytes, brought: brought + bytesNeeded }));
}

/**
 * Refuses blobs that a session uploads before its manifest, if they exceed that quota together with those before them. Afterwards the
 * manifest has been checked.
 */
export async function requireRoomOfPersonFor(
  { metadata, earlyBytes }: ServiceContext,
  { number, deviceId, setNumber, state }: Pick<BackupSession, 'number' | 'deviceId' | 'setNumber' | 'state'>,
  targets: readonly Pick<UploadTarget, 'id' | 'stored' | 'size'>[],
): Promise<void> {
  if (state !== 'waiting') return;
  const chunks = targets.filter(({ stored }) => !stored).map(({ id, size }) => ({ id, bytes: size }));
  const quota = chunks.length === 0 ? undefined : await metadata.quotas.ofDevice(deviceId);
  if (!quota) return;
  const offered = earlyBytes.add(number, chunks);
  requireBelow(quota, setNumber, ({ newest, brought }) => ({ newest, brought: brought + offered }));
}

function requireBelow(
  { limit, sets }: Quota,
  setNumber: number,
  change: (set: Pick<UsedBySet, 'newest' | 'brought'>) => Pick<UsedBySet, 'newest' | 'brought'>,
): void {
  const set = sets.find((one) => one.setNumber === setNumber) ?? { newest: 0, brought: 0 };
  const others = sets.filter((one) => one.setNumber !== setNumber);
  const used = others.reduce((sum, one) => sum + usedBy({ ...one, brought: one.brought + one.opening }), usedBy(set));
  const next = used - usedBy(set) + usedBy(change(set));
  if (next <= limit || next <= used) return;
  throw new ServiceProblem('quota_exceeded', {
    detail: `the person who set this device up uses ${used} of ${limit} bytes, and would use ${next}`,
  });
}
