/** Returns the text of a desktop entry that starts a program with these arguments. */
export function autostartEntry(words: readonly string[]): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Holdfast',
    `Exec=${words.map(quoted).join(' ')}`,
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
}

/** Quotes an argument twice, as the Desktop Entry Specification wants: as an argument of Exec, and as a value of the file. */
function quoted(word: string): string {
  const argument = word.replaceAll('%', '%%').replaceAll(/["`$\\]/g, String.raw`\$&`);
  return `"${argument.replaceAll('\\', '\\\\')}"`;
}
