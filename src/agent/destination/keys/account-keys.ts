import { KEYS_PATH, RESERVED_PREFIX } from '../../../protocol/path.ts';
import { formatTimestamp } from '../../../protocol/timestamp.ts';
import { openEnvelope } from '../../../format/crypto/chunk-keys.ts';
import { envelopeFits, readEnvelope, type KeyEnvelope } from '../../../format/crypto/key-envelope.ts';
import type { Keys } from '../../../format/crypto/keys.ts';
import { HoldfastError, isHoldfastError } from '../../../base/errors/errors.ts';
import { newestTime } from '../../../read/source/restore-point.ts';
import { visibleDevices } from './account-devices.ts';
import type { BlobDownloader, ServiceClient } from '../../../remote/ports.ts';
import { digestOf } from '../../../format/chunks/digest.ts';

/** The access that reading the key envelopes of an account needs. */
export interface AccountAccess {
  readonly service: ServiceClient;
  readonly downloader: BlobDownloader;
}

export interface StoredSet {
  readonly deviceId: string;
  readonly backupSet: string;
}

/**
 * Lists the sets of these devices that have restore points. Returns `undefined` if the service cannot list sets.
 */
export async function storedSets(
  { service }: AccountAccess,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<readonly StoredSet[] | undefined> {
  const found: StoredSet[] = [];
  for (const deviceId of ids) {
    const sets = await service.backupSets(deviceId, signal);
    if (!sets) return undefined;
    for (const set of sets) if (set.last_restore_point) found.push({ deviceId, backupSet: set.name });
  }
  return found;
}

/** An envelope and its encoded bytes. */
export interface StoredEnvelope {
  readonly envelope: KeyEnvelope;
  readonly bytes: Uint8Array;
}

/**
 * Fetches the key envelope of a set's newest restore point. Returns `undefined` if there is no restore point that we may
 * see, or another program created it.
 *
 * @throws HoldfastError `chunk_missing`, `chunk_tampered`, `service_answer_suspicious`, and what the service throws
 */
export async function fetchEnvelope(
  { service, downloader }: AccountAccess,
  { deviceId, backupSet }: StoredSet,
  signal?: AbortSignal,
): Promise<StoredEnvelope | undefined> {
  let chunks: readonly string[] | undefined;
  const request = {
    device_id: deviceId,
    backup_set: backupSet,
    point_in_time: formatTimestamp(await newestTime(service, undefined, signal)),
    path: RESERVED_PREFIX,
    recursive: true,
  };
  try {
    const head = await service.restoreManifest(
      request,
      (files) => {
        chunks = files.find((file) => file.path === KEYS_PATH)?.chunks ?? chunks;
      },
      signal,
    );
    if (!chunks || chunks.length !== 1) return undefined;
    const bytes = await fetchChunk(downloader, head.restore_session_id, chunks[0]!, signal);
    return { envelope: readEnvelope(bytes), bytes };
  } catch (error) {
    if (isHoldfastError(error, 'no_restore_point') || isHoldfastError(error, 'permission_denied')) return undefined;
    throw error;
  }
}

async function fetchChunk(
  downloader: BlobDownloader,
  restoreSessionId: string,
  hash: string,
  signal: AbortSignal | undefined,
): Promise<Buffer> {
  let blob: Uint8Array | undefined;
  await downloader.download(
    restoreSessionId,
    [hash],
    (_hash, bytes) => {
      blob = bytes;
    },
    signal,
  );
  if (!blob) throw new HoldfastError('chunk_missing', { chunk: hash });
  return openEnvelope(blob, digestOf(hash));
}

/**
 * Yields the envelopes of an account: of all sets if the service can list them, else of the sets with this name on every
 * device. An account has one key, so the first envelope normally stands for all.
 */
export async function* accountEnvelopes(
  access: AccountAccess,
  { deviceId, backupSet }: StoredSet,
  signal?: AbortSignal,
): AsyncGenerator<StoredEnvelope> {
  const ids = [...new Set([deviceId, ...(await visibleDevices(access.service, signal)).map(({ id }) => id)])];
  const sets = (await storedSets(access, ids, signal)) ?? ids.map((id) => ({ deviceId: id, backupSet }));
  for (const set of sets) {
    const stored = await fetchEnvelope(access, set, signal);
    if (stored) yield stored;
  }
}

/**
 * Checks these keys against an account's envelopes, as far as its service shows them.
 *
 * @throws HoldfastError `phrase_other_account`; `key_outdated` if the key of the account was changed
 */
export async function checkAccountKeys(
  access: AccountAccess,
  set: StoredSet,
  keys: Keys,
  signal?: AbortSignal,
): Promise<void> {
  for await (const { envelope } of accountEnvelopes(access, set, signal)) {
    if (!envelopeFits(envelope, keys)) {
      const isLater = envelope.earlier.some(({ keyId }) => keys.ids.includes(keyId));
      throw isLater ? new HoldfastError('key_outdated', {}) : new HoldfastError('phrase_other_account', { ...set });
    }
    return;
  }
}
