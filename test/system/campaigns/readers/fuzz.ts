import { isDeepStrictEqual } from 'node:util';
import { Random } from '../../../helpers/random.ts';
import { alter } from './alter.ts';

/** A reader of bytes that come from outside. */
export interface Reader {
  readonly name: string;
  /** Bytes that it accepts. */
  readonly samples: readonly Buffer[];
  /** True if nothing but a sample's very content may be accepted: a key or a hash proves it. */
  readonly isProven: boolean;
  /** Reads bytes. Returns `undefined` if it refuses them. @throws what `isRefusal` knows, for a refusal */
  read(bytes: Buffer): unknown;
  isRefusal?(error: unknown): boolean;
  /** Returns what is wrong with a value that was accepted. */
  faultOf?(value: unknown, bytes: Buffer): string | undefined;
}

export interface FuzzResult {
  readonly reader: string;
  readonly runs: number;
  readonly accepted: number;
  readonly failures: readonly FuzzFailure[];
}

export interface FuzzFailure {
  readonly problem: string;
  /** Hex. */
  readonly bytes: string;
}

const MOST_FAILURES = 5;

/**
 * Gives a reader altered bytes. It has to refuse them in its own way, or to accept what is valid: anything else that it throws, and
 * anything that it should not accept, is a failure.
 */
export function fuzz(reader: Reader, { runs, seed }: { readonly runs: number; readonly seed: number }): FuzzResult {
  const random = new Random(seed);
  const originals = reader.samples.map((sample) => reader.read(sample));
  const failures: FuzzFailure[] = [];
  let accepted = 0;
  let done = 0;
  for (; done < runs && failures.length < MOST_FAILURES; done += 1) {
    const bytes = alter(random, random.pick(reader.samples), random.pick(reader.samples));
    const outcome = outcomeOf(reader, originals, bytes);
    if (outcome === 'accepted') accepted += 1;
    else if (outcome !== 'refused') failures.push({ problem: outcome.problem, bytes: bytes.toString('hex') });
  }
  return { reader: reader.name, runs: done, accepted, failures };
}

function outcomeOf(
  reader: Reader,
  originals: readonly unknown[],
  bytes: Buffer,
): 'accepted' | 'refused' | { readonly problem: string } {
  let value: unknown;
  try {
    value = reader.read(bytes);
  } catch (error) {
    if (reader.isRefusal?.(error) === true) return 'refused';
    return { problem: `threw ${String(error)}` };
  }
  if (value === undefined) return 'refused';
  if (reader.isProven && !originals.some((original) => isDeepStrictEqual(original, value))) {
    return { problem: 'accepted what nobody wrote' };
  }
  const fault = reader.faultOf?.(value, bytes);
  return fault === undefined ? 'accepted' : { problem: fault };
}
