import { Command, CommanderError, Help, Option } from 'commander';
import { VERSION } from '../base/version.ts';
import type { ExitCode } from './exit-code.ts';
import { COMMANDS } from './commands/index.ts';
import { helpWords } from './help-words.ts';
import { Output, type Streams } from './output.ts';
import { createRunner, type Run, type RunnerResult } from './runner.ts';

/** Parses a command line, runs the command and returns its exit code. */
export async function runProgram(
  words: readonly string[],
  streams: Streams,
  environment: NodeJS.ProcessEnv,
): Promise<ExitCode> {
  const result: RunnerResult = { exitCode: 0 };
  const program = createProgram(streams, createRunner(streams, environment, result));
  try {
    await program.parseAsync([...helpWords(program, words)], { from: 'user' });
    return result.exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return usageExit(error, words, streams);
  }
}

/** Returns the definition of every command, from which the help, the reference, the manual pages and the completion are made. */
export function createProgram(streams: Streams, run: Run): Command {
  const program = new Command('holdfast')
    .description('Backs up folders and restores any file from any restore point.')
    .version(VERSION, '--version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .option('--home <dir>', 'the folder with settings, keys and catalog (HOLDFAST_HOME)')
    .option('--json', 'one JSON object on stdout, and nothing else there')
    .addOption(new Option('--progress <form>', 'progress as lines of JSON on stderr').choices(['json']))
    .addHelpText('after', HELP_END);
  for (const command of COMMANDS) program.addCommand(command(run));
  return quietly(program, streams);
}

const HELP_END = `
Start with:
  holdfast setup --destination /media/disk/backups
  holdfast set add documents ~/Documents
  holdfast backup documents

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done with warnings, 4 sign-in or key needed,
            5 another process holds the home, 130 interrupted (run it again to continue)`;

/** An option that may be given several times has an empty list as its default, which says nothing. */
const HELP: Partial<Help> = {
  showGlobalOptions: true,
  optionDescription: (option) => Help.prototype.optionDescription(option).replace(' (default: [])', ''),
  // `points remove` has options of the same names as `points`.
  visibleGlobalOptions(command) {
    const own = new Set(command.options.map(({ long }) => long));
    return Help.prototype.visibleGlobalOptions.call(this, command).filter(({ long }) => !own.has(long));
  },
};

/** Commander neither prints mistakes nor ends the process: both are done here. */
function quietly(command: Command, streams: Streams): Command {
  command
    .exitOverride()
    .configureHelp(HELP)
    .configureOutput({ writeOut: (text) => streams.out.write(text), writeErr: () => undefined });
  for (const child of command.commands) quietly(child, streams);
  return command;
}

function usageExit(error: CommanderError, words: readonly string[], streams: Streams): ExitCode {
  if (error.exitCode === 0) return 0;
  const end = words.indexOf('--');
  const json = (end < 0 ? words : words.slice(0, end)).includes('--json');
  const message = error.message.replace(/^error: /, '');
  const isHelp = error.code === 'commander.help';
  new Output(streams, json).showUsage(isHelp ? 'a command is missing' : message, 'holdfast');
  return 2;
}
