import type { Command } from 'commander';
import type { ServiceConfig } from '../../../service/administration/service-config.ts';
import type { Outcome } from '../../outcome.ts';
import type { GlobalOptions, Run } from '../../runner.ts';

/** The service, as identified by its operator. */
export interface OperatorOptions extends GlobalOptions {
  readonly config?: string;
  readonly data?: string;
  readonly database?: string;
}

/** The service and the owner of the account. */
export interface OwnerOptions extends OperatorOptions {
  readonly email: string;
}

/** Adds the options that locate a service's metadata to a command. It works while the service is running. */
export function withService(command: Command): Command {
  return command
    .option('--config <file>', "the service's config file")
    .option('--data <dir>', "the service's folder")
    .option('--database <url>', 'postgres://USER@HOST/NAME, if it uses one');
}

/** Adds the options of `withService`, and the owner of the account. */
export function withOwner(command: Command): Command {
  return withService(command).requiredOption('--email <email>', "the account's owner");
}

/** @throws HoldfastError `usage` if no option locates the service */
export async function serviceOf(
  { config, data, database }: OperatorOptions,
  environment: NodeJS.ProcessEnv,
): Promise<ServiceConfig> {
  const { serviceConfig } = await import('../../../service/administration/service-config.ts');
  return serviceConfig({ data, database }, environment, config);
}

/** A service and the e-mail address of an account's owner. */
export type AccountOwner = ServiceConfig & { readonly email: string };

/** @throws HoldfastError `usage` if no option locates the service */
export async function ownerOf(options: OwnerOptions, environment: NodeJS.ProcessEnv): Promise<AccountOwner> {
  return { ...(await serviceOf(options, environment)), email: options.email };
}

/**
 * Creates the action of a command that has the options of `withOwner`.
 *
 * @param perform gets the command's first argument, `''` if it has none
 */
export function ownerAction(
  run: Run,
  perform: (owner: AccountOwner, argument: string, command: Command) => Promise<Outcome>,
): (...given: readonly unknown[]) => Promise<void> {
  return (...given) => {
    const command = given.at(-1) as Command;
    const options = command.optsWithGlobals<OwnerOptions>();
    return run(options, async ({ environment }) =>
      perform(await ownerOf(options, environment), command.args[0] ?? '', command),
    );
  };
}
