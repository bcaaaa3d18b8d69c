/** Returns a test whether a text contains what somebody searched for, in capitals or not. An empty search matches everything. */
export function matcher(search: string): (...texts: readonly string[]) => boolean {
  const wanted = search.trim().toLowerCase();
  return (...texts) => texts.some((text) => text.toLowerCase().includes(wanted));
}
