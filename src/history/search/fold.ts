/**
 * Converts a name to the form in which it is searched: equal for names that differ only in upper and lower case, or in how Unicode
 * composes their characters. ß is folded to `ss`, and the final sigma to the other one.
 */
export function fold(text: string): string {
  // The upper case of ß, ﬁ and others has several letters; that of ẞ has not.
  const upper = text.normalize('NFC').toLowerCase().toUpperCase();
  return upper.toLowerCase().replaceAll('ς', 'σ').normalize('NFC');
}
