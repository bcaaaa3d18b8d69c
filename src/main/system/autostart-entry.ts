import { execValue } from './command-words.ts';

/** Returns the text of a desktop entry that starts a program with these arguments. */
export function autostartEntry(words: readonly string[]): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Holdfast',
    `Exec=${execValue(words)}`,
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
}
