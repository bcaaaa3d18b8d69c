import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { eventType } from '../../protocol/webhooks.ts';
import { newIdentifier } from '../identifier.ts';
import { ServiceProblem, StoreError } from '../problem.ts';
import { METADATA_FILE, durably, openMetadataDatabase } from '../store/sqlite/database.ts';
import { NewerSchemaError } from '../store/sqlite/migrations.ts';
import { parseEndpointUrl } from './endpoint-url.ts';
import { createSigningSecret } from './signature.ts';

export interface NewWebhook {
  /** Whose account it tells about. */
  readonly email: string;
  /** https or http, at most 2,048 characters, without credentials and fragment. */
  readonly url: string;
  /** Event types; none means all, those of later versions included. */
  readonly events: readonly string[];
}

export interface AddedWebhook {
  readonly webhook_id: string;
  /** Shown here and never again. */
  readonly signing_secret: string;
}

/**
 * Adds a webhook endpoint to the store in the directory `data`, also while a service runs on it; events from now on
 * are delivered. A private address is accepted here, since only the running service knows whether it may send there.
 *
 * Throws `ServiceProblem` `unprocessable` (URL, event type) or `not_found` (e-mail), and `StoreError`.
 */
export function addWebhook(data: string, webhook: NewWebhook): AddedWebhook {
  const url = readUrl(webhook.url);
  const events = readEvents(webhook.events);
  const database = openExisting(data);
  try {
    return durably(database, () => insert(database, webhook.email, url, events));
  } finally {
    database.close();
  }
}

function readUrl(text: string): string {
  const endpoint = parseEndpointUrl(text);
  if (endpoint.kind === 'valid') return endpoint.url.href;
  throw new ServiceProblem('unprocessable', { detail: `the webhook's URL is refused: ${endpoint.reason}` });
}

function readEvents(names: readonly string[]): readonly string[] {
  for (const name of names) {
    if (eventType.safeParse(name).success) continue;
    const known = eventType.options.join(', ');
    throw new ServiceProblem('unprocessable', {
      detail: `${JSON.stringify(name)} is no event type; there are ${known}`,
    });
  }
  return [...new Set(names)];
}

function openExisting(data: string): Database {
  const file = join(data, METADATA_FILE);
  if (!existsSync(file)) throw new StoreError('store_missing', data);
  try {
    return openMetadataDatabase(file);
  } catch (error) {
    throw error instanceof NewerSchemaError ? new StoreError('store_newer', data, error) : error;
  }
}

function insert(database: Database, email: string, url: string, events: readonly string[]): AddedWebhook {
  const user = database
    .prepare<[string], { account_id: string }>('SELECT account_id FROM user WHERE email = ?')
    .get(email);
  if (user === undefined) throw new ServiceProblem('not_found', { detail: 'no account has this e-mail address' });
  const added = { webhook_id: newIdentifier('whk'), signing_secret: createSigningSecret() };
  database
    .prepare(
      `INSERT INTO webhook_endpoint (id, account_id, url, events_json, secret, created_at) VALUES (?, ?, ?, ?, ?, ?)`,
    )
    .run(added.webhook_id, user.account_id, url, JSON.stringify(events), added.signing_secret, Date.now());
  return added;
}
