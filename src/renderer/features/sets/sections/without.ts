/** Returns a copy without one property. */
export function without<Value extends object, Key extends keyof Value>(value: Value, key: Key): Omit<Value, Key> {
  const { [key]: _left, ...rest } = value;
  return rest;
}
