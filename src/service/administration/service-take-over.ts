import { resolve } from 'node:path';
import { asOperator, type MetadataLocation } from '../operator-access.ts';
import { takeOver } from '../operation/copy/copy-state.ts';
import { serviceConfig, type GivenServiceConfig } from './service-config.ts';
import { asServiceDataError } from './service-data-error.ts';

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
  const location: MetadataLocation = { data: resolve(data), database };
  try {
    return await asOperator(location, (metadata) => takeOver(metadata, location.data, Date.now()));
  } catch (error) {
    throw asServiceDataError(error);
  }
}
