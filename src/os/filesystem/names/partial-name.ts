const PREFIX = '.holdfast-partial-';
const FORM = /^\.holdfast-partial-[0-9a-f]{16}-(?:\d{1,16}|probe)$/;

/** What the names of incomplete files have in common, in words of a rule. */
export const PARTIAL_PATTERN = `${PREFIX}*`;

/** Returns the prefix of a restore's incomplete files, followed by a number. @param restore 16 hex digits */
export function partialPrefixOf(restore: string): string {
  return `${PREFIX}${restore}-`;
}

/** Returns whether a name has exactly the form of incomplete files, of any restore or of one. */
export function isPartialName(name: string, prefix = PREFIX): boolean {
  return name.startsWith(prefix) && FORM.test(name);
}
