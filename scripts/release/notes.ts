/**
 * Returns the section of a version in a changelog, without its heading.
 *
 * @param version or `Unreleased`
 * @throws Error if it is missing or empty
 */
export function notesOf(changelog: string, version: string): string {
  const lines = changelog.split('\n');
  const start = lines.findIndex((line) => line === `## ${version}` || line.startsWith(`## ${version} (`));
  if (start < 0) throw new Error(`CHANGELOG.md has no section "${version}"`);
  const end = lines.findIndex((line, index) => index > start && line.startsWith('## '));
  const notes = lines
    .slice(start + 1, end < 0 ? undefined : end)
    .join('\n')
    .trim();
  if (notes === '') throw new Error(`the section "${version}" of CHANGELOG.md is empty`);
  return `${notes}\n`;
}
