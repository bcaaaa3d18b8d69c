import { once } from 'node:events';
import { resolve } from 'node:path';
import { pino } from 'pino';
import { createAccount } from '../../service/accounts.ts';
import { startServer } from '../../service/server.ts';
import { addWebhook, type AddedWebhook } from '../../service/webhooks/add-webhook.ts';
import { asServiceDataError } from './service-data-error.ts';
import type { ServiceConfig } from './service-config.ts';

/**
 * Runs a service until the signal ends it: then what is under way is finished. Its log goes to stderr.
 *
 * @param onReady told its address when it answers
 * @throws HoldfastError `usage` about its data, and where the port is taken
 */
export async function runService(
  config: ServiceConfig,
  onReady: (url: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const data = resolve(config.data);
  const server = await startServer({ ...config, data, log: pino({ level: 'info' }, pino.destination(2)) }).catch(
    (error: unknown) => {
      throw asServiceDataError(error, config);
    },
  );
  try {
    onReady(server.url);
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await server.close();
  }
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

/** @throws HoldfastError `usage` where the account, the URL or an event is none */
export async function addServiceWebhook(
  folder: string,
  webhook: { readonly email: string; readonly url: string; readonly events: readonly string[] },
): Promise<AddedWebhook> {
  const data = resolve(folder);
  try {
    return await Promise.resolve(addWebhook(data, webhook));
  } catch (error) {
    throw asServiceDataError(error);
  }
}
