import type { EnvelopeContent, WriterLimit } from '../../format/crypto/key-envelope.ts';
import type { LedgerFile } from '../../format/repository/file-names.ts';

/** The last segment of a writer that was removed, and its checkpoints. */
export type WriterEnd = NonNullable<WriterLimit['end']>;

/** Returns the ends of the ledgers of writers that were removed, by writer. */
export function endsOf(state: Pick<EnvelopeContent, 'writers'> | undefined): ReadonlyMap<string, WriterEnd> {
  const ends = new Map<string, WriterEnd>();
  for (const [writer, { end }] of state?.writers ?? []) if (end) ends.set(writer, end);
  return ends;
}

/** Returns whether a segment or checkpoint counts that was sealed in an epoch. */
export type Admission = (file: LedgerFile, epoch: number) => boolean;

/**
 * Which segments count since the key was changed: those of writers that were known then, up to the end of those that were removed, and in
 * the current epoch those of all others. So whoever has an earlier key only can write in the name of nobody, and be nobody new. Which segments
 * before the end of a removed writer count, their chain says (`chainTo`).
 *
 * @param state of the current key; `undefined` if there is none
 */
export function admissionOf(state: Pick<EnvelopeContent, 'epoch' | 'writers'> | undefined): Admission {
  if (!state || state.epoch === 1) return () => true;
  return ({ folder, writer, number, hash }, epoch) => {
    const limit = state.writers.get(writer);
    if (!limit) return epoch >= state.epoch;
    if (epoch < limit.epoch) return false;
    const { end } = limit;
    if (!end) return true;
    if (folder === 'checkpoints') return end.checkpoints.includes(hash);
    return number < end.number || (number === end.number && hash === end.hash);
  };
}
