import { decide, type Facts, type Verdict } from './decide.ts';
import { remembered } from './remember.ts';

/** Failures that are the findings of a verification. */
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
  readonly hasBackup: boolean;
}

/** The schedule and the final failures of a verification every so many days. */
export function verificationRules(everyDays: number): Pick<Facts, 'schedule' | 'finalCodes'> {
  return { schedule: { kind: 'every', minutes: everyDays * 24 * 60 }, finalCodes: FINDINGS };
}

/** Decides about the verification of a set, which has a memory and a last run of its own. */
export function decideVerification(facts: VerificationFacts): Verdict {
  const { everyDays, hasBackup, ...rest } = facts;
  const all = { ...rest, ...verificationRules(everyDays) };
  return hasBackup ? decide(all) : { decision: { kind: 'manual' }, memory: remembered(facts.memory, all) };
}
