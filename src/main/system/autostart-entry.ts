/** A desktop entry that starts a program with these words. */
export function autostartFile(words: readonly string[]): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Holdfast',
    `Exec=${words.map(quoted).join(' ')}`,
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
}

/** As the Desktop Entry Specification quotes an argument, twice: for the argument itself, and as a value of the file. */
function quoted(word: string): string {
  const argument = word.replaceAll('%', '%%').replaceAll(/["`$\\]/g, String.raw`\$&`);
  return `"${argument.replaceAll('\\', '\\\\')}"`;
}
