import { Departure } from './clause.ts';

/** Kinds of fields in the interface's terms, with their types after validation. */
interface Kinds {
  /** May be empty. */
  string: string;
  text: string;
  count: number;
  number: number;
  boolean: boolean;
  object: Readonly<Record<string, unknown>>;
  array: readonly unknown[];
  texts: readonly string[];
  hash: string;
  hashes: readonly string[];
  timestamp: string;
  address: string;
}
type Kind = keyof Kinds;

const TESTS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  text: isText,
  count: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  boolean: (value) => typeof value === 'boolean',
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: (value) => Array.isArray(value),
  texts: (value) => Array.isArray(value) && value.every(isText),
  hash: isHash,
  hashes: (value) => Array.isArray(value) && value.every(isHash),
  timestamp: isTimestamp,
  address: (value) => typeof value === 'string' && /^https?:$/.test(URL.parse(value)?.protocol ?? ''),
};

/** Longest text of a wrong value that a report quotes. */
const QUOTED = 60;

/**
 * Validates the fields of an object. Further fields are allowed.
 *
 * @throws Departure naming the first one that is missing or of another kind
 */
export function fieldsOf<const Fields extends Readonly<Record<string, Kind>>>(
  where: string,
  value: unknown,
  fields: Fields,
): { readonly [Name in keyof Fields]: Kinds[Fields[Name]] } {
  if (!TESTS.object(value)) throw new Departure(`${where} is no object`);
  const object = value as Record<string, unknown>;
  for (const [name, kind] of Object.entries(fields)) {
    if (!(name in object)) throw new Departure(`${where} lacks ${name}`);
    if (TESTS[kind](object[name])) continue;
    throw new Departure(`${where}: ${name} is no ${kind}: ${quoted(object[name])}`);
  }
  return object as { readonly [Name in keyof Fields]: Kinds[Fields[Name]] };
}

/** @throws Departure unless both are the same JSON */
export function expectSame(what: string, actual: unknown, expected: unknown): void {
  const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (is !== should) throw new Departure(`${what} is ${quoted(actual)} instead of ${quoted(expected)}`);
}

/** @throws Departure */
export function expectThat(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Departure(otherwise);
}

function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length > QUOTED ? `${text.slice(0, QUOTED)}…` : text;
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function isHash(value: unknown): boolean {
  return typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value);
}

/** ISO 8601 in UTC. */
function isTimestamp(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const form = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/;
  return form.test(value) && !Number.isNaN(Date.parse(value));
}
