import type { Kysely } from 'kysely';
import type { Tables } from '../database/tables.ts';

/** Details that contain a name which a person chose. */
const NAMES: ReadonlySet<string> = new Set(['name', 'previous_name', 'backup_set']);

/**
 * Removes names from the entries about a device, since it was erased.
 *
 * @param set only the entries about this set
 */
export async function redactNames(queries: Kysely<Tables>, deviceId: string, set?: string): Promise<void> {
  const entries = await queries
    .selectFrom('audit_entry')
    .select(['id', 'details_json'])
    .where('device_id', '=', deviceId)
    .execute();
  for (const { id, details_json: json } of entries) {
    const details = JSON.parse(json) as Readonly<Record<string, string>>;
    if (set !== undefined && details['backup_set'] !== set) continue;
    const kept = Object.entries(details).filter(([name]) => !NAMES.has(name));
    if (kept.length === Object.keys(details).length) continue;
    const change = queries.updateTable('audit_entry').set({ details_json: JSON.stringify(Object.fromEntries(kept)) });
    await change.where('id', '=', id).execute();
  }
}

/** Removes IP addresses from the entries of a device or user, since it was erased. */
export async function redactAddresses(
  queries: Kysely<Tables>,
  column: 'device_id' | 'user_id',
  id: string,
): Promise<void> {
  await queries.updateTable('audit_entry').set({ address: null }).where(column, '=', id).execute();
}
