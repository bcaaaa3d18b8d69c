import { execValue, stringValue } from './command-words.ts';

/** Returns the text of a desktop entry that starts a program with these arguments. */
export function autostartEntry(words: readonly string[]): string {
  const [program] = words;
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Holdfast',
    // Otherwise each login would fail to start a program that was removed.
    ...(program === undefined ? [] : [`TryExec=${stringValue(program)}`]),
    `Exec=${execValue(words)}`,
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
}
