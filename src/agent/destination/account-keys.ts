import { hexDigestOf } from '../../protocol/chunk.ts';
import { KEYS_PATH, RESERVED_PREFIX } from '../../protocol/path.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import { openBlob } from '../../engine/crypto/blob.ts';
import { ENVELOPE_CHUNK_KEY } from '../../engine/crypto/chunk-keys.ts';
import { envelopeFits, readEnvelope, type KeyEnvelope } from '../../engine/crypto/key-envelope.ts';
import type { Keys } from '../../engine/crypto/keys.ts';
import { HoldfastError, isHoldfastError } from '../../base/errors.ts';
import { newestTime } from '../../engine/restore/source/restore-point.ts';
import type { BlobDownloader, ServiceClient } from '../../engine/transfer/ports.ts';

/** Where to look for the key envelopes of an account. */
export interface AccountAccess {
  readonly service: ServiceClient;
  readonly downloader: BlobDownloader;
}

export interface StoredSet {
  readonly deviceId: string;
  readonly backupSet: string;
}

/**
 * The sets of an account that have restore points; nothing where the service cannot list them. `ids` says of which devices,
 * for a service that lists no devices to us.
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

/** An envelope, and the bytes that it was read from. */
export interface StoredEnvelope {
  readonly envelope: KeyEnvelope;
  readonly bytes: Uint8Array;
}

/**
 * The key envelope of a set's newest restore point; nothing where there is no restore point, or none that we may see, or
 * one that another program made.
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
  return openBlob(ENVELOPE_CHUNK_KEY, blob, Buffer.from(hexDigestOf(hash), 'hex'));
}

/**
 * The envelopes of an account that its service lets us see: of all sets where it can list them, else of the sets with a
 * certain name on every device. One key per account: normally the first speaks for all.
 */
export async function* accountEnvelopes(
  access: AccountAccess,
  { deviceId, backupSet }: StoredSet,
  signal?: AbortSignal,
): AsyncGenerator<StoredEnvelope> {
  const ids = [...new Set([deviceId, ...(await deviceIds(access, signal))])];
  const sets = (await storedSets(access, ids, signal)) ?? ids.map((id) => ({ deviceId: id, backupSet }));
  for (const set of sets) {
    const stored = await fetchEnvelope(access, set, signal);
    if (stored) yield stored;
  }
}

/**
 * Makes sure that these keys are an account's, as far as its service lets us see.
 *
 * @throws HoldfastError `phrase_other_account`
 */
export async function checkAccountKeys(
  access: AccountAccess,
  set: StoredSet,
  keys: Keys,
  signal?: AbortSignal,
): Promise<void> {
  for await (const { envelope } of accountEnvelopes(access, set, signal)) {
    if (!envelopeFits(envelope, keys)) throw new HoldfastError('phrase_other_account', { ...set });
    return;
  }
}

/** Those that we may see: a device's permissions may not let it list the others. */
async function deviceIds({ service }: AccountAccess, signal: AbortSignal | undefined): Promise<readonly string[]> {
  try {
    return (await service.devices(signal)).map(({ id }) => id);
  } catch (error) {
    if (isHoldfastError(error, 'permission_denied')) return [];
    throw error;
  }
}
