import type { Transaction } from 'kysely';
import type { AccountEvent } from './account-event.ts';
import { deliveriesOf } from './event-deliveries.ts';
import type { Tables } from '../database/tables.ts';

/** Writes a delivery for each endpoint that subscribed, in the transaction of the fact itself. */
export async function emitEvent(queries: Transaction<Tables>, event: AccountEvent): Promise<void> {
  const endpoints = await queries
    .selectFrom('webhook_endpoint')
    .select(['id', 'events_json'])
    .where('account_id', '=', event.accountId)
    .where('disabled_at', 'is', null)
    .execute();
  const deliveries = deliveriesOf(endpoints, event);
  if (deliveries.length > 0)
    await queries
      .insertInto('webhook_delivery')
      .values([...deliveries])
      .execute();
}
