import { useState } from 'react';

/**
 * Returns `next` with the parts of `before` wherever they are equal, so that what is drawn from an unchanged part is not
 * drawn again. Both are values that JSON can hold.
 */
export function withSharedParts<Value>(before: Value | undefined, next: Value): Value {
  return shared(before, next) as Value;
}

/** Compares two values that JSON can hold. */
export function isEqual(one: unknown, other: unknown): boolean {
  return shared(one, other) === one;
}

/** Returns the same object as long as the values that are passed equal it: for the dependencies of an effect. */
export function useStable<Value>(value: Value): Value {
  const [held, setHeld] = useState(() => value);
  const stable = withSharedParts(held, value);
  if (!Object.is(stable, held)) setHeld(() => stable);
  return stable;
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
