/** Quotes an argument as the Desktop Entry Specification wants it in `Exec`. @see https://specifications.freedesktop.org/desktop-entry-spec */
function execArgument(word: string): string {
  return `"${word.replaceAll('%', '%%').replaceAll(/["`$\\]/g, String.raw`\$&`)}"`;
}

/** Returns arguments as the value of `Exec` in a desktop entry, in which backslashes are written twice. */
export function execValue(words: readonly string[]): string {
  return words.map(execArgument).join(' ').replaceAll('\\', '\\\\');
}

/** Returns a text as a value in a desktop entry. */
export function stringValue(text: string): string {
  return text.replaceAll('\\', String.raw`\\`).replaceAll('\n', String.raw`\n`);
}

/** Quotes an argument for a POSIX shell. */
export function shellWord(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
