/**
 * A value that came as a whole, with the parts of the one before wherever nothing in them has changed: whatever is drawn
 * from such a part need not be drawn again. Both are as JSON has them.
 */
export function withSharedParts<Value>(before: Value | undefined, next: Value): Value {
  return shared(before, next) as Value;
}

function shared(before: unknown, next: unknown): unknown {
  if (Object.is(before, next) || !isObject(before) || !isObject(next)) return next;
  if (Array.isArray(before) !== Array.isArray(next)) return next;
  const keys = Object.keys(next);
  const parts = keys.map((key) => [key, shared(before[key], next[key])] as const);
  const isSame = Object.keys(before).length === keys.length && parts.every(([key, part]) => part === before[key]);
  if (isSame) return before;
  return Array.isArray(next) ? parts.map(([, part]) => part) : Object.fromEntries(parts);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
