import { resolve } from 'node:path';
import { copyService, type CopyReport } from '../operation/copy/copy-service.ts';
import { wrongUsage } from '../../base/errors/errors.ts';
import { serviceConfig, type GivenServiceConfig } from './service-config.ts';
import { asServiceDataError } from './service-data-error.ts';

/** @throws HoldfastError `usage` if the service's data is not all in its folder, or a folder cannot be used */
export async function copyServiceData(
  options: GivenServiceConfig,
  environment: NodeJS.ProcessEnv,
  configFile: string | undefined,
  target: string,
): Promise<CopyReport> {
  const { data, database, objects } = serviceConfig(options, environment, configFile);
  if (database !== undefined || objects !== undefined) {
    const message =
      'Only what is in the service’s folder can be copied; a database and a bucket have means of their own.';
    throw wrongUsage({ problem: 'service', message });
  }
  try {
    return await copyService(resolve(data), resolve(target));
  } catch (error) {
    throw asServiceDataError(error);
  }
}
