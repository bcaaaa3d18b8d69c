import { resolve } from 'node:path';
import { exportService, importService, type ServiceData } from '../operation/export/transfer-file.ts';
import type { TransferReport } from '../operation/export/export-service.ts';
import { TransferError } from '../operation/export/export-format.ts';
import { systemCodeOf, wrongUsage } from '../../base/errors/errors.ts';
import { serviceConfig, type GivenServiceConfig } from './service-config.ts';
import { asServiceDataError } from './service-data-error.ts';

/** @throws HoldfastError `usage` if the data or the file cannot be used */
export async function exportServiceData(
  options: GivenServiceConfig,
  environment: NodeJS.ProcessEnv,
  configFile: string | undefined,
  file: string,
): Promise<TransferReport> {
  const data = serviceData(options, environment, configFile);
  return exportService(data, resolve(file)).catch((error: unknown) => {
    throw asTransferFailure(error);
  });
}

/** @throws HoldfastError `usage` if the database or the file cannot be used */
export async function importServiceData(
  options: GivenServiceConfig,
  environment: NodeJS.ProcessEnv,
  configFile: string | undefined,
  file: string,
): Promise<TransferReport> {
  const data = serviceData(options, environment, configFile);
  return importService(data, resolve(file)).catch((error: unknown) => {
    throw asTransferFailure(error);
  });
}

function serviceData(
  options: GivenServiceConfig,
  environment: NodeJS.ProcessEnv,
  configFile: string | undefined,
): ServiceData {
  const { data, database } = serviceConfig(options, environment, configFile);
  return { data: resolve(data), ...(database === undefined ? {} : { database }) };
}

function asTransferFailure(error: unknown): unknown {
  if (error instanceof TransferError) {
    const { message } = error;
    return wrongUsage({ problem: 'service', message: `${message.slice(0, 1).toUpperCase()}${message.slice(1)}.` });
  }
  const code = systemCodeOf(error);
  // PostgreSQL's error codes have five characters; its message contains no row.
  if (code !== undefined && (/^[0-9A-Z]{5}$/.test(code) || /^E[A-Z]+$/.test(code))) {
    return wrongUsage({ problem: 'service', message: `The database or the file cannot be used (${code}).` });
  }
  return asServiceDataError(error);
}
