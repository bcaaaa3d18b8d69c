/** Longest text of one version, in characters. */
const LONGEST = 100_000;

/**
 * Returns the changes of a version from a changelog in Markdown, with a heading `## 1.2.3` for each. A version without one is a build between
 * two: its changes are the newest.
 */
export function newsOf(changelog: string, version: string): string {
  const [, ...sections] = changelog.split(/^## /m);
  const own = sections.find((section) =>
    new RegExp(`^v?${version.replaceAll('.', String.raw`\.`)}(?![\\d.])`).test(section),
  );
  const text = own ?? sections[0] ?? '';
  return text.slice(text.indexOf('\n') + 1, LONGEST).trim();
}
