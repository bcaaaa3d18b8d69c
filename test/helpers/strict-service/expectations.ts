/*
 * Checks each field against the interface. Violations are recorded and not thrown, since
 * a real service would not report them either.
 */

/** One line for each violation, beginning with the endpoint. */
export type Departures = string[];

/** Kinds of fields, with their types after validation. */
interface Kinds {
  string: string;
  text: string;
  count: number;
  boolean: boolean;
  object: object;
  array: readonly unknown[];
  hashes: readonly string[];
  hash: string;
  timestamp: string;
}
type FieldKind = keyof Kinds;

const TESTS: Readonly<Record<FieldKind, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  text: (value) => typeof value === 'string' && value.length > 0,
  count: (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0,
  boolean: (value) => typeof value === 'boolean',
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  array: (value) => Array.isArray(value),
  hashes: (value) => Array.isArray(value) && value.every(isHash),
  hash: isHash,
  timestamp: (value) => typeof value === 'string' && isUtcTimestamp(value),
};

/** Checks that an object has exactly these fields. Returns whether it is usable. */
export function expectFields<const Fields extends Readonly<Record<string, FieldKind>>>(
  departures: Departures,
  where: string,
  value: unknown,
  fields: Fields,
): value is { [Name in keyof Fields]: Kinds[Fields[Name]] } {
  if (!TESTS.object(value)) {
    departures.push(`${where}: not an object`);
    return false;
  }
  const object = value as Record<string, unknown>;
  let good = true;
  for (const [name, kind] of Object.entries(fields)) {
    if (!(name in object)) {
      departures.push(`${where}: field ${name} is missing`);
      good = false;
    } else if (!TESTS[kind](object[name])) {
      departures.push(`${where}: field ${name} is no ${kind}: ${JSON.stringify(object[name])?.slice(0, 80)}`);
      good = false;
    }
  }
  for (const name of Object.keys(object)) {
    if (!(name in fields)) departures.push(`${where}: field ${name} is not in the interface`);
  }
  return good;
}

function isHash(value: unknown): boolean {
  return typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value);
}

function isUtcTimestamp(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text) && !Number.isNaN(Date.parse(text));
}
