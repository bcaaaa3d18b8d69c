import { once } from 'node:events';
import { resolve } from 'node:path';
import { pino } from 'pino';
import { createAccount } from '../accounts.ts';
import { serviceLog } from '../operation/log.ts';
import { startServer } from '../server.ts';
import { wrongUsage } from '../../base/errors/errors.ts';
import { bucketOf } from './service-bucket.ts';
import { asServiceDataError } from './service-data-error.ts';
import type { ServiceConfig } from './service-config.ts';

/**
 * Runs a service until the signal aborts, then finishes requests in progress. Its log goes to stderr.
 *
 * @param onReady called with its address when it responds, and with the set-up address if it has no account yet
 * @throws HoldfastError `usage` for problems with its data, or if the port is taken
 */
export async function runService(
  config: ServiceConfig,
  environment: NodeJS.ProcessEnv,
  onReady: (url: string, setUpUrl: string | undefined) => void,
  signal: AbortSignal,
): Promise<void> {
  const bucket = bucketOf(config, environment);
  if (bucket.kind === 'wrong') throw wrongUsage({ problem: 'service', message: bucket.problem });
  const data = resolve(config.data);
  const log = serviceLog(config.logLevel, pino.destination(2));
  const blobs = bucket.kind === 'bucket' ? { bucket: bucket.config } : {};
  const server = await startServer({ ...config, ...blobs, data, log }).catch((error: unknown) => {
    throw asServiceDataError(error, config);
  });
  try {
    onReady(server.url, server.setUpUrl);
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await server.close();
  }
}

/** @throws HoldfastError `usage` if the e-mail address is taken or invalid */
export async function createServiceAccount(
  { data: folder, database }: ServiceConfig,
  account: { readonly email: string; readonly password: string },
): Promise<Awaited<ReturnType<typeof createAccount>>> {
  const data = resolve(folder);
  try {
    return await createAccount(data, account, { database });
  } catch (error) {
    throw asServiceDataError(error);
  }
}
