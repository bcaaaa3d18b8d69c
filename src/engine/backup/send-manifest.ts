import type { BackupInitResponseHead } from '../../protocol/backup.ts';
import { hexDigestOf } from '../../protocol/chunk.ts';
import type { CatalogEntries, SetRun } from '../catalog/entries.ts';
import { DigestSet } from '../chunk/digest-set.ts';
import type { PathNames } from '../crypto/path-names.ts';
import { isHoldfastError } from '../../base/errors.ts';
import { throwIfInterrupted } from '../job/interruption.ts';
import type { DeltaManifest, ServiceClient } from '../transfer/ports.ts';
import { deltaEntries } from './delta-manifest.ts';
import { manifestEntries } from './manifest.ts';
import type { SinceCommit } from './since-commit.ts';
import type { TreeSpool } from './tree-spool.ts';

export interface ManifestSource {
  readonly deviceId: string;
  readonly backupSet: string;
  readonly entries: CatalogEntries;
  readonly run: SetRun;
  readonly names: PathNames | undefined;
  /** May still be written while the files are sent. */
  readonly spool: Promise<TreeSpool>;
  /** Where the differences may be sent alone. */
  readonly since: SinceCommit | undefined;
  /** A session that was opened before. */
  readonly session: string | undefined;
}

/** What the service answered. */
export interface SentManifest {
  readonly head: BackupInitResponseHead;
  /** Digests of the chunks that it lacks. */
  readonly needed: DigestSet;
  /** Plaintext bytes of these. */
  readonly bytesNeeded: number;
}

/**
 * Sends what changed where the service can take that, and else all files; in the session that was opened before, and in a
 * new one where that has ended.
 */
export async function sendManifest(
  source: ManifestSource,
  service: ServiceClient,
  signal: AbortSignal | undefined,
): Promise<SentManifest> {
  const { since, entries, run, spool, names } = source;
  if (since && (await service.capabilities(signal)).has('backup.init.delta')) {
    const { reserved } = await spool;
    const changes = () => interruptible(deltaEntries(entries, run, since.dirty, reserved, names), signal);
    try {
      return await send(source, service, { base: since.committed.backupId, changes }, signal);
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  }
  if (source.session !== undefined) {
    try {
      return await send(source, service, undefined, signal);
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  }
  return await send({ ...source, session: undefined }, service, undefined, signal);
}

/** The service wants all files: its newest run is not the one that we know, or it has lost something. */
function isRefusal(error: unknown): boolean {
  if (!isHoldfastError(error, 'service_error')) return false;
  const { status } = error.details;
  return typeof status === 'number' && status >= 400 && status < 500;
}

async function send(
  { deviceId, backupSet, entries, run, names, spool, session }: ManifestSource,
  service: ServiceClient,
  delta: DeltaManifest | undefined,
  signal: AbortSignal | undefined,
): Promise<SentManifest> {
  let needed = new DigestSet();
  let bytesNeeded = 0;
  const reserved = async () => (await spool).reserved;
  const files = () => interruptible(manifestEntries(entries, run, reserved, names), signal);
  const head = await service.backupInit(
    { deviceId, backupSet, files, ...(delta ? { delta } : {}), sessionId: session },
    (chunks) => {
      for (const chunk of chunks) {
        needed.add(Buffer.from(hexDigestOf(chunk.hash), 'hex'));
        bytesNeeded += chunk.size;
      }
    },
    signal,
    () => {
      needed = new DigestSet();
      bytesNeeded = 0;
    },
  );
  return { head, needed, bytesNeeded };
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
