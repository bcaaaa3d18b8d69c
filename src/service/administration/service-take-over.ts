import { resolve } from 'node:path';
import { takeOver } from '../operation/copy/copy-state.ts';
import { onService } from './on-account.ts';
import { serviceConfig, type GivenServiceConfig } from './service-config.ts';

/**
 * Makes a copy of a service the service itself. Returns false if it was that already.
 *
 * @throws HoldfastError `usage` if the data cannot be used
 */
export async function takeOverService(
  options: GivenServiceConfig,
  environment: NodeJS.ProcessEnv,
  configFile: string | undefined,
): Promise<boolean> {
  const { data, database } = serviceConfig(options, environment, configFile);
  return onService({ data, database }, (metadata) => takeOver(metadata, resolve(data), Date.now()));
}
