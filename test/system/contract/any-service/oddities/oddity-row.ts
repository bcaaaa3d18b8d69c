import type { Answer, Call } from '../../../../helpers/strict-service/call.ts';
import type { EndpointName } from '../../../../helpers/strict-service/faults.ts';
import type { Oddity } from '../../../../helpers/strict-service/oddity.ts';
import type { StrictServiceOptions } from '../../../../helpers/strict-service/strict-service.ts';
import type { Outcome, World } from '../world.ts';

/** Something that a service may do, as far as the interface goes, or that a bad one does now and then. */
export interface OddityRow {
  readonly name: string;
  /** What the service does. */
  readonly service: string;
  /** What the interface says. */
  readonly interface: string;
  /** What the agent does. */
  readonly agent: string;
  /** Made anew for each run. */
  readonly odd: () => Oddity;
  /** A service of its own, with a new home. */
  readonly own?: { readonly signIn: 'device' | 'person'; readonly options?: StrictServiceOptions };
  readonly backup?: Partial<Outcome>;
  readonly restore?: Partial<Outcome>;
  /** Paths of the source that are not restored. */
  readonly missing?: readonly string[];
  /** In the place of a backup and a restore of everything. */
  readonly journey?: (world: World) => Promise<void>;
  /** Beginnings of what the service notes: it sees more than one use of what it gave out once. */
  readonly noted?: readonly string[];
}

type Body = Record<string, unknown>;

/** Answers one call in the place of the service, by the number of the endpoint's call. */
export function before(
  endpoint: EndpointName,
  isAnswered: (number: number, call: Call) => boolean,
  answer: Answer,
): Oddity {
  let calls = 0;
  return {
    before: (call) => (call.endpoint === endpoint && isAnswered((calls += 1), call) ? answer : undefined),
  };
}

/** Changes the body of an endpoint's answers. */
export function changed(endpoint: EndpointName, change: (body: Body, number: number) => unknown): Oddity {
  let calls = 0;
  return {
    after: (call, answer) => {
      if (call.endpoint !== endpoint || answer.body === undefined || answer.status !== 200) return undefined;
      calls += 1;
      return { ...answer, body: change(structuredClone(answer.body) as Body, calls) };
    },
  };
}

/** Changes the elements of a list in the answers of an endpoint. */
export function changedList(
  endpoint: EndpointName,
  key: string,
  change: (list: Body[], number: number) => readonly unknown[],
): Oddity {
  return changed(endpoint, (body, number) => ({ ...body, [key]: change(body[key] as Body[], number) }));
}

export function isControl({ endpoint }: Call): boolean {
  return !endpoint.startsWith('storage/');
}

/** Changes every answer of the control plane. */
export function everyAnswer(change: (answer: Answer, call: Call) => Answer): Oddity {
  return { after: (call, answer) => (isControl(call) ? change(answer, call) : undefined) };
}

/** Changes every JSON object of the control plane, at any depth. */
export function everyObject(change: (object: Body) => Body): Oddity {
  const deep = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(deep);
    if (typeof value !== 'object' || value === null) return value;
    return change(Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, deep(inner)])));
  };
  return everyAnswer((answer) => (answer.body === undefined ? answer : { ...answer, body: deep(answer.body) }));
}
