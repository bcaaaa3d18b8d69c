/** A copy that does not say one thing. */
export function without<Value extends object, Key extends keyof Value>(value: Value, key: Key): Omit<Value, Key> {
  const { [key]: _left, ...rest } = value;
  return rest;
}
