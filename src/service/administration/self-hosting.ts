import { once } from 'node:events';
import { resolve } from 'node:path';
import { pino } from 'pino';
import { createAccount } from '../accounts.ts';
import { serviceLog } from '../operation/log.ts';
import { startServer } from '../server.ts';
import { wrongUsage } from '../../base/errors.ts';
import { bucketOf } from './service-bucket.ts';
import { asServiceDataError } from './service-data-error.ts';
import type { ServiceConfig } from './service-config.ts';

/**
 * Runs a service until the signal ends it: then what is under way is finished. Its log goes to stderr.
 *
 * @param onReady told its address when it answers, and where to set it up where it has no account yet
 * @throws HoldfastError `usage` about its data, and where the port is taken
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

/** @throws HoldfastError `usage` where the e-mail is taken or is none */
export async function createServiceAccount(
  { data: folder, database }: ServiceConfig,
  account: { readonly email: string; readonly password: string },
): Promise<Awaited<ReturnType<typeof createAccount>>> {
  const data = resolve(folder);
  try {
    return await createAccount(data, account, database);
  } catch (error) {
    throw asServiceDataError(error);
  }
}
