import { call } from '../../bridge/bridge.ts';
import { RECOMMENDED_POLICY } from './draft/recommended-policy.ts';

/** A set as it was when the destination was asked. */
export interface AskedSet {
  readonly name: string;
  /** Time of its newest restore point. */
  readonly at: number | undefined;
}

export interface Thinning {
  readonly set: string;
  readonly bytes: number;
}

/** What the recommended policy would free of each set, until the set has another restore point. */
const answers = new Map<string, Answer>();

interface Answer {
  readonly at: number | undefined;
  readonly bytes: number;
  /** Another program may have changed the policy since. */
  readonly isDoubted?: true;
}

/** Has the destination asked again: the policy of the set has changed. */
export function forgetThinning(set: string): void {
  answers.delete(set);
}

/** Has the policies read again: the command line may have changed them. What one would free is only asked again with its set. */
export function doubtThinnings(): void {
  for (const [set, answer] of answers) answers.set(set, { ...answer, isDoubted: true });
}

/**
 * Returns the set that keeps everything and would free most by the recommended policy. A set whose destination does not answer is left
 * out, and asked for again the next time.
 */
export async function largestThinning(sets: readonly AskedSet[]): Promise<Thinning | undefined> {
  let found: Thinning | undefined;
  for (const { name, at } of sets) {
    const bytes = await freedBy(name, at).catch(() => 0);
    if (bytes > (found?.bytes ?? 0)) found = { set: name, bytes };
  }
  return found;
}

async function freedBy(set: string, at: number | undefined): Promise<number> {
  const known = answers.get(set);
  const isSame = known?.at === at;
  if (known && isSame && !known.isDoubted) return known.bytes;
  const { policy } = await call('sets.retention', { set });
  const keepsAll = policy !== null && Object.keys(policy).length === 0;
  const bytes = !keepsAll ? 0 : known && isSame && known.bytes > 0 ? known.bytes : await previewed(set);
  answers.set(set, { at, bytes });
  return bytes;
}

async function previewed(set: string): Promise<number> {
  const { freedBytes = 0 } = await call('sets.retention.preview', { set, policy: RECOMMENDED_POLICY });
  return freedBytes;
}
