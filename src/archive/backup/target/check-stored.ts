import { isHoldfastError } from '../../../base/errors/errors.ts';
import { fetchEach } from '../../../read/chunks/fetch-chunks.ts';
import type { BackupDependencies } from '../types.ts';
import type { OpenTarget } from './open-target.ts';
import { digestOf } from '../../../format/chunks/digest.ts';

/**
 * Downloads a sample of the chunks that this run would have uploaded and the service had already. Whoever has a device key of the
 * account can store anything under a chunk's name, and every later backup of that content would rely on it.
 *
 * @returns the digests of those that do not open, or have another content. Failures of the check itself are ignored.
 */
export async function checkStoredChunks(
  { service, downloader, lane }: Pick<OpenTarget, 'service' | 'downloader' | 'lane'>,
  { keys, clock }: Pick<BackupDependencies, 'keys' | 'clock'>,
  signal: AbortSignal | undefined,
): Promise<readonly Buffer[]> {
  const hashes = lane?.storedSample ?? [];
  const session = await lane?.session;
  if (!downloader || session === undefined || hashes.length === 0) return [];
  if (!(await service.capabilities(signal)).has('backup.check')) return [];
  try {
    const outcomes = await fetchEach({ session, hashes }, { downloader, keys, clock }, signal);
    return hashes.filter((hash) => isWrong(outcomes.get(hash))).map((hash) => digestOf(hash));
  } catch (error) {
    // The device may not restore, or the connection broke: the backup goes on.
    if (!isHoldfastError(error) || error.code === 'interrupted') throw error;
    return [];
  }
}

/** A missing chunk is not wrong: the service requests it, or finds it. */
function isWrong(outcome: unknown): boolean {
  return isHoldfastError(outcome, 'chunk_tampered') || isHoldfastError(outcome, 'chunk_corrupt');
}
