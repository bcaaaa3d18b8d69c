import type { Command } from 'commander';

const HELP_OPTIONS = new Set(['-h', '--help']);

/**
 * Returns the words with every way of asking for help as the option of the command: `help set add` and `set help add` as
 * `set add --help`. Help for a command that does not exist loses the option, so that the mistake is named.
 *
 * @throws CommanderError for a wrong option of the program
 */
export function helpWords(program: Command, words: readonly string[]): readonly string[] {
  const { operands } = program.parseOptions([...words]);
  const asked = operands.indexOf('help');
  const isHelp = asked >= 0 && isGroup(commandAt(program, operands.slice(0, asked)));
  const path = isHelp ? operands.toSpliced(asked, 1) : operands;
  if (!isHelp && !words.some((word) => HELP_OPTIONS.has(word))) return words;
  if (isUnknown(program, path)) return path;
  return isHelp ? [...path, '--help'] : words;
}

function isGroup(command: Command | undefined): boolean {
  return command !== undefined && command.commands.length > 0;
}

/** Returns `undefined` if the names are not those of a command. */
function commandAt(program: Command, names: readonly string[]): Command | undefined {
  let found: Command | undefined = program;
  for (const name of names) found = found?.commands.find((command) => command.name() === name);
  return found;
}

/** Returns whether a group is followed by a name that none of its commands has. What follows a command are its arguments. */
function isUnknown(program: Command, names: readonly string[]): boolean {
  let group = program;
  for (const name of names) {
    if (!isGroup(group)) return false;
    const command = commandAt(group, [name]);
    if (!command) return true;
    group = command;
  }
  return false;
}
