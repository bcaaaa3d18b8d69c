import type { Subject } from './subject.ts';

/** The source of the requirement: the interface, or only Holdfast's agent. */
export type Level = 'interface' | 'advice';

/** One requirement on a service. */
export interface Clause {
  readonly section: string;
  /** The requirement as a sentence. */
  readonly says: string;
  readonly level: Level;
  /** Rejects with `Departure` if the requirement is violated, and with `Undecided` if this run cannot decide it. */
  check(subject: Subject): Promise<void>;
}

export type Verdict =
  | { readonly kind: 'holds' }
  | { readonly kind: 'departs'; readonly why: string }
  | { readonly kind: 'unknown'; readonly why: string };

/** The service violates the clause. */
export class Departure extends Error {
  override readonly name = 'Departure';
}

/** The clause needs a missing credential, or too much time. */
export class Undecided extends Error {
  override readonly name = 'Undecided';
}

type Check = Clause['check'];

export function clausesOf(section: string): { required(says: string, check: Check): Clause; advised: typeof advise } {
  function advise(says: string, check: Check): Clause {
    return { section, says, level: 'advice', check };
  }
  return { required: (says, check) => ({ section, says, level: 'interface', check }), advised: advise };
}

/** Never rejects: any error in a check is a verdict on the service. */
export async function judge(clause: Clause, subject: Subject): Promise<Verdict> {
  try {
    await clause.check(subject);
    return { kind: 'holds' };
  } catch (error) {
    const why = error instanceof Error ? describe(error) : String(error);
    return { kind: error instanceof Undecided ? 'unknown' : 'departs', why };
  }
}

function describe(error: Error): string {
  if (error instanceof Departure || error instanceof Undecided) return error.message;
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return `${error.name}: ${error.message}${cause}`;
}
