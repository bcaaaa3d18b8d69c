import { decide, type Facts, type Verdict } from './decide.ts';
import { remembered } from './remember.ts';

/** Failures that are what a verification is there to find. */
const FINDINGS = [
  'chunk_missing',
  'chunk_tampered',
  'chunk_corrupt',
  'file_size_mismatch',
  'tree_invalid',
  'service_answer_suspicious',
] as const;

export interface VerificationFacts extends Omit<Facts, 'schedule' | 'finalCodes' | 'isPartial'> {
  readonly everyDays: number;
  /** Whether there is anything to verify. */
  readonly hasBackup: boolean;
}

/** As `decide`, of the verification of a set: its memory and its last run are its own. */
export function decideVerification(facts: VerificationFacts): Verdict {
  const { everyDays, hasBackup, ...rest } = facts;
  const schedule = { kind: 'every', minutes: everyDays * 24 * 60 } as const;
  const all = { ...rest, schedule, finalCodes: FINDINGS };
  return hasBackup ? decide(all) : { decision: { kind: 'manual' }, memory: remembered(facts.memory, all) };
}
