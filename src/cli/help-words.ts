import type { Command } from 'commander';

const HELP_OPTIONS = new Set(['-h', '--help']);

/**
 * Returns the words with every way of asking for help as the option of the command: `help set add` and `set help add` as
 * `set add --help`. Help for a command that does not exist loses the option, so that the mistake is named.
 *
 * @throws CommanderError for a wrong option of the program
 */
export function helpWords(program: Command, words: readonly string[]): readonly string[] {
  const hasOption = words.some((word) => HELP_OPTIONS.has(word));
  if (!hasOption && !words.includes('help')) return words;
  const { operands } = program.parseOptions([...words]);
  const { command, rest } = reached(program, operands);
  const isHelp = rest[0] === 'help' && isGroup(command);
  if (!isHelp && !hasOption) return words;
  const path = isHelp ? operands.toSpliced(-rest.length, 1) : operands;
  const asked = reached(program, path);
  if (asked.rest.length > 0 && isGroup(asked.command)) return path;
  return isHelp ? [...path, '--help'] : words;
}

/** Returns the last command that the names lead to, and the names behind it. */
function reached(program: Command, names: readonly string[]): { readonly command: Command; readonly rest: string[] } {
  let command = program;
  for (const [index, name] of names.entries()) {
    const below = command.commands.find((one) => one.name() === name);
    if (!below) return { command, rest: names.slice(index) };
    command = below;
  }
  return { command, rest: [] };
}

/** Returns whether a command's name has to be followed by that of another one. `points` may be followed by that of a set, too. */
function isGroup({ commands, registeredArguments }: Command): boolean {
  return commands.length > 0 && registeredArguments.length === 0;
}
