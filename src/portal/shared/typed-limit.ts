/** Bytes of one GB, as the page shows sizes. */
const GIGABYTE = 1_000_000_000;

export type TypedLimit =
  | { readonly kind: 'limit'; readonly bytes: number }
  | { readonly kind: 'none' }
  | { readonly kind: 'wrong' };

/** Reads a typed limit: GB with a point or a comma, or empty for none. */
export function readLimit(text: string): TypedLimit {
  const typed = text.trim().replace(',', '.');
  if (typed === '') return { kind: 'none' };
  const bytes = /^\d{1,9}(\.\d{1,9})?$/.test(typed) ? Math.round(Number(typed) * GIGABYTE) : 0;
  return bytes > 0 && Number.isSafeInteger(bytes) ? { kind: 'limit', bytes } : { kind: 'wrong' };
}

/** Formats a limit for the field, exact to the byte. */
export function typedLimit(bytes: number | null): string {
  return bytes === null ? '' : (bytes / GIGABYTE).toFixed(9).replace(/\.?0+$/, '');
}
