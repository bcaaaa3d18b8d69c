import { once } from 'node:events';
import { resolve } from 'node:path';
import { pino } from 'pino';
import { createAccount } from '../../service/accounts.ts';
import { serviceLog } from '../../service/operation/log.ts';
import { startServer } from '../../service/server.ts';
import { wrongUsage } from '../failure.ts';
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
  onReady: (url: string, setUpUrl: string | undefined) => void,
  signal: AbortSignal,
): Promise<void> {
  refuseUnavailable(config);
  const data = resolve(config.data);
  const log = serviceLog(config.logLevel, pino.destination(2));
  const server = await startServer({ ...config, data, log }).catch((error: unknown) => {
    throw asServiceDataError(error, config);
  });
  try {
    onReady(server.url, server.setUpUrl);
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await server.close();
  }
}

function refuseUnavailable({ database, objects }: ServiceConfig): void {
  const what = database !== undefined ? '--database' : objects !== undefined ? '--objects' : undefined;
  if (what !== undefined) throw wrongUsage('unavailable', { message: `${what} is not available in this version.` });
}

/** @throws HoldfastError `usage` where the e-mail is taken or is none */
export async function createServiceAccount(
  folder: string,
  account: { readonly email: string; readonly password: string },
): Promise<Awaited<ReturnType<typeof createAccount>>> {
  const data = resolve(folder);
  try {
    return await createAccount(data, account);
  } catch (error) {
    throw asServiceDataError(error);
  }
}
