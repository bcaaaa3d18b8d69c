import { KEYS_PATH } from '../../../protocol/path.ts';
import { ENVELOPE_CHUNK_KEY } from '../../crypto/chunk-keys.ts';
import { envelopeFits, readEnvelope } from '../../crypto/key-envelope.ts';
import { HoldfastError, isHoldfastError } from '../../../base/errors.ts';
import { openChunks, type ChunkDependencies } from '../chunks/open-chunks.ts';
import type { Plan } from '../plan/plan.ts';

/** What is wrong with an envelope, and not with the way to it. */
const ENVELOPE_FAILURES: ReadonlySet<string> = new Set([
  'tree_invalid',
  'chunk_missing',
  'chunk_tampered',
  'chunk_corrupt',
  'service_answer_suspicious',
]);

/**
 * Reads the key envelope of a restore point and names it where that fails; answers whether it is that of our keys. A
 * restore on this computer has no need of it; on the next one, a passphrase opens nothing without it.
 */
export async function checkEnvelope(
  { entry, failures }: Plan,
  deps: ChunkDependencies,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  // Other programs have none.
  if (!entry.chunks) return false;
  try {
    if (entry.envelope?.length !== 1) throw new HoldfastError('tree_invalid', { reason: 'entry-missing' });
    const [bytes] = await openChunks(entry.restoreSessionId, entry.envelope, deps, signal, () => ENVELOPE_CHUNK_KEY);
    const fits = envelopeFits(readEnvelope(bytes!), deps.keys);
    if (!fits) throw new HoldfastError('tree_invalid', { reason: 'other-key' });
    return true;
  } catch (error) {
    if (!isHoldfastError(error) || !ENVELOPE_FAILURES.has(error.code)) throw error;
    failures.addError(KEYS_PATH, error);
    return false;
  }
}
