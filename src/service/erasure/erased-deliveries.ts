import type { Kysely } from 'kysely';
import type { Tables } from '../database/tables.ts';
import type { ErasedNames } from './erased-parts.ts';

/** Deliveries that are read at once. */
const STEP = 500;

/** Deletes deliveries with their attempts, as the erasure store describes. */
export async function deleteDeliveries(
  queries: Kysely<Tables>,
  accountId: string,
  erased: ErasedNames,
  after: string,
): Promise<string | undefined> {
  const endpoints = queries.selectFrom('webhook_endpoint').select('id').where('account_id', '=', accountId);
  const page = await queries
    .selectFrom('webhook_delivery')
    .select(['id', 'body'])
    .where('endpoint_id', 'in', endpoints)
    .where('id', '>', after)
    .orderBy('id')
    .limit(STEP)
    .execute();
  const ids = page.filter(({ body }) => names(body, erased)).map(({ id }) => id);
  if (ids.length > 0) {
    await queries.deleteFrom('webhook_attempt').where('delivery_id', 'in', ids).execute();
    await queries.deleteFrom('webhook_delivery').where('id', 'in', ids).execute();
  }
  return page.length < STEP ? undefined : page.at(-1)!.id;
}

function names(body: string, { devices, sets, members }: ErasedNames): boolean {
  const { data } = JSON.parse(body) as { readonly data: Readonly<Record<string, unknown>> };
  const { device_id: device, backup_set: set, user_id: user } = data;
  return (
    devices.some((id) => id === device) ||
    members.some((id) => id === user) ||
    sets.some((one) => one.deviceId === device && one.name === set)
  );
}
