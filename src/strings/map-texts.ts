/** Maps every text of a catalogue, including those that its functions return. */
export function mapTexts<Catalogue>(catalogue: Catalogue, change: (text: string) => string): Catalogue {
  return mapped(catalogue, change) as Catalogue;
}

function mapped(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value === 'function')
    return (...words: unknown[]) => mapped((value as (...words: unknown[]) => unknown)(...words), change);
  if (Array.isArray(value)) return value.map((inner) => mapped(inner, change));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapped(inner, change)]));
  }
  return value;
}
