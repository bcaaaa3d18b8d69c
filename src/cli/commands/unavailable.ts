import { Command } from 'commander';
import type { GlobalOptions, Run } from '../runner.ts';

/** Words reserved for later versions: they are distinguished from typing errors, and no help text lists them. */
export function unavailableCommand(name: string): (run: Run) => Command {
  return (run) =>
    new Command(name)
      .argument('[words...]')
      .allowUnknownOption()
      .helpOption(false)
      .action((_words: unknown, _options: unknown, command: Command) =>
        run(command.optsWithGlobals<GlobalOptions>(), () => refuseUnavailable(name)),
      );
}

/** @throws HoldfastError `usage`, always */
export async function refuseUnavailable(what: string): Promise<never> {
  const { wrongUsage } = await import('../../base/errors.ts');
  throw wrongUsage({ problem: 'unavailable', message: `${what} is not available in this version.` });
}
