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

/** What a verification every so many days is decided and remembered by. */
export function verificationRules(everyDays: number): Pick<Facts, 'schedule' | 'finalCodes'> {
  return { schedule: { kind: 'every', minutes: everyDays * 24 * 60 }, finalCodes: FINDINGS };
}

/** As `decide`, of the verification of a set: its memory and its last run are its own. */
export function decideVerification(facts: VerificationFacts): Verdict {
  const { everyDays, hasBackup, ...rest } = facts;
  const all = { ...rest, ...verificationRules(everyDays) };
  return hasBackup ? decide(all) : { decision: { kind: 'manual' }, memory: remembered(facts.memory, all) };
}
