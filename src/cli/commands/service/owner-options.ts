import type { Command } from 'commander';
import type { ServiceConfig } from '../../../service/administration/service-config.ts';
import type { GlobalOptions } from '../../runner.ts';

/** Which service, as whoever runs it says. */
export interface OperatorOptions extends GlobalOptions {
  readonly config?: string;
  readonly data?: string;
  readonly database?: string;
}

/** Whose account, in which service. */
export interface OwnerOptions extends OperatorOptions {
  readonly email: string;
}

/** Gives a command the options that say where a service keeps its metadata; it works beside a running one. */
export function withService(command: Command): Command {
  return command
    .option('--config <file>', "the service's config file")
    .option('--data <dir>', "the service's folder")
    .option('--database <url>', 'postgres://USER@HOST/NAME, if it uses one');
}

/** … and which account it is about. */
export function withOwner(command: Command): Command {
  return withService(command).requiredOption('--email <email>', "the account's owner");
}

/** @throws HoldfastError `usage` where nothing says where the service is */
export async function serviceOf(
  { config, data, database }: OperatorOptions,
  environment: NodeJS.ProcessEnv,
): Promise<ServiceConfig> {
  const { serviceConfig } = await import('../../../service/administration/service-config.ts');
  return serviceConfig({ data, database }, environment, config);
}

/** @throws HoldfastError `usage` where nothing says where the service is */
export async function ownerOf(
  options: OwnerOptions,
  environment: NodeJS.ProcessEnv,
): Promise<ServiceConfig & { readonly email: string }> {
  return { ...(await serviceOf(options, environment)), email: options.email };
}
