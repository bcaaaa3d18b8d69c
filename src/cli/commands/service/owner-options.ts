import type { Command } from 'commander';
import type { GlobalOptions } from '../../runner.ts';

/** Whose account, in which service. */
export interface OwnerOptions extends GlobalOptions {
  readonly data: string;
  readonly email: string;
}

/** Gives a command the options that say which account it is about; it works beside a running service. */
export function withOwner(command: Command): Command {
  return command
    .requiredOption('--data <dir>', "the service's folder")
    .requiredOption('--email <email>', "the account's owner");
}
