import type { BackupFileEntry } from '../../../protocol/backup.ts';
import { HoldfastError, isHoldfastError } from '../../../base/errors/errors.ts';
import { DigestSet } from '../../../format/chunks/digest-set.ts';
import type { PathNames } from '../../../format/crypto/path-names.ts';
import { throwIfInterrupted } from '../../../jobs/interruption.ts';
import type { DeltaManifest, ServiceClient, StartedBackup } from '../../../remote/ports.ts';
import type { CatalogRun } from '../catalog-run.ts';
import { deltaEntries } from './delta-manifest.ts';
import type { IncrementalBase } from './incremental-base.ts';
import { manifestEntries } from './manifest-entries.ts';
import type { TreeSpool } from './tree-spool.ts';
import { digestOf } from '../../../format/chunks/digest.ts';

export interface ManifestSource {
  readonly deviceId: string;
  readonly backupSet: string;
  readonly catalogRun: CatalogRun;
  readonly names: PathNames | undefined;
  /** May still be written while the files are sent. */
  readonly spool: Promise<TreeSpool>;
  /** Allows sending only the differences from the newest restore point. */
  readonly base: IncrementalBase | undefined;
  /** A session that is already open. */
  readonly session: string | undefined;
}

/** The service's response to a manifest. */
export interface SentManifest {
  readonly head: StartedBackup;
  /** Digests of the chunks that the service lacks. */
  readonly needed: DigestSet;
  /** Plaintext bytes of these chunks. */
  readonly bytesNeeded: number;
}

/** One way to send the manifest. */
interface Variant {
  readonly delta?: DeltaManifest;
  readonly sessionId?: string | undefined;
}

/** Chunks that a service may name once more, or that no manifest has, before its answer counts as endless. */
const MOST_REPEATED = 10_000;
const MOST_UNKNOWN = 10_000;

/**
 * Sends the manifest: only its differences if the service accepts them, else all files; within the open session, or in a
 * new one if that has ended.
 */
export async function sendManifest(
  source: ManifestSource,
  service: ServiceClient,
  signal: AbortSignal | undefined,
): Promise<SentManifest> {
  const { session } = source;
  const delta = await deltaOf(source, service, signal);
  if (delta) {
    const sent = await unlessRejected(send(source, { delta, sessionId: session }, service, signal));
    if (sent) return sent;
  }
  if (session !== undefined) {
    const sent = await unlessRejected(send(source, { sessionId: session }, service, signal));
    if (sent) return sent;
  }
  return await send(source, {}, service, signal);
}

async function deltaOf(
  { base, catalogRun, spool, names }: ManifestSource,
  service: ServiceClient,
  signal: AbortSignal | undefined,
): Promise<DeltaManifest | undefined> {
  if (!base || !(await service.capabilities(signal)).has('backup.init.delta')) return undefined;
  const { reserved } = await spool;
  const changes = () => interruptible(deltaEntries(catalogRun, base.dirty, reserved, names), signal);
  return { base: base.committed.backupId, changes };
}

/** Returns `undefined` after a 4xx: the service knows another newest run or session, or has lost one. */
async function unlessRejected(sending: Promise<SentManifest>): Promise<SentManifest | undefined> {
  try {
    return await sending;
  } catch (error) {
    if (!isHoldfastError(error, 'service_error')) throw error;
    const { status } = error.details;
    if (typeof status !== 'number' || status < 400 || status >= 500) throw error;
    return undefined;
  }
}

async function send(
  { deviceId, backupSet, catalogRun, names, spool }: ManifestSource,
  { delta, sessionId }: Variant,
  service: ServiceClient,
  signal: AbortSignal | undefined,
): Promise<SentManifest> {
  let needed = new DigestSet();
  let bytesNeeded = 0;
  let received = 0;
  let sent = 0;
  const reserved = async () => (await spool).reserved;
  const files = () => {
    sent = 0;
    return counted(interruptible(manifestEntries(catalogRun, reserved, names), signal), (chunks) => (sent += chunks));
  };
  const head = await service.backupInit(
    { deviceId, backupSet, files, ...(delta ? { delta } : {}), sessionId },
    (chunks) => {
      received += chunks.length;
      for (const chunk of chunks) {
        needed.add(digestOf(chunk.hash));
        bytesNeeded += chunk.size;
      }
      const isTooMuch = !delta && needed.size > sent + MOST_UNKNOWN;
      if (received <= 2 * needed.size + MOST_REPEATED && !isTooMuch) return;
      throw new HoldfastError('service_answer_suspicious', { problem: 'unknown-chunks-needed', chunks: received });
    },
    signal,
    () => {
      needed = new DigestSet();
      bytesNeeded = 0;
      received = 0;
    },
  );
  return { head, needed, bytesNeeded };
}

/** @param count receives the number of chunks of each batch before it is sent */
async function* counted(
  batches: AsyncIterable<readonly BackupFileEntry[]>,
  count: (chunks: number) => void,
): AsyncGenerator<readonly BackupFileEntry[]> {
  for await (const batch of batches) {
    count(batch.reduce((sum, { chunks }) => sum + chunks.length, 0));
    yield batch;
  }
}

async function* interruptible<Batch>(
  batches: Iterable<Batch> | AsyncIterable<Batch>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Batch> {
  for await (const batch of batches) {
    yield batch;
    throwIfInterrupted(signal);
  }
}
