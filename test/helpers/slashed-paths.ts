const ABSOLUTE = /^(?:[A-Z]:|\\)\\/i;

/**
 * Returns a value with slashes in its absolute paths, on Windows, where tests state paths so; elsewhere the value itself. Only whole strings
 * are paths: sentences keep theirs.
 */
export function slashedPaths<Value>(value: Value): Value {
  return process.platform === 'win32' ? (slashed(value) as Value) : value;
}

/** Returns what a program printed with slashes in its paths, on Windows; elsewhere the text itself. */
export function slashedText(text: string): string {
  return process.platform === 'win32' ? text.replaceAll('\\', '/') : text;
}

function slashed(value: unknown): unknown {
  if (typeof value === 'string') return ABSOLUTE.test(value) ? value.replaceAll('\\', '/') : value;
  if (Array.isArray(value)) return value.map(slashed);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, slashed(part)]));
}
