import type { AuditEntry, AuditFilter, AuditPage } from '../../protocol/portal/audit.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { ServiceContext } from '../context.ts';
import { matcher } from '../request/matcher.ts';
import { currentRequest } from '../request/request-scope.ts';
import {
  AUDIT_KINDS,
  type AuditDetails,
  type AuditKind,
  type NewAuditEntry,
  type StoredAuditEntry,
} from './audit-store.ts';
import { DAY } from '../../model/units.ts';

/** Lifetime of entries in milliseconds. */
export const AUDIT_MEMORY = 400 * DAY;

/** Details with the address of a webhook. */
const URLS: ReadonlySet<string> = new Set(['url', 'previous_url']);

/** Entries that are read at once. */
const PAGE = 500;

/** Entries that one request reads at most to find those that match. */
const SEARCHED = 10_000;

/** Creates an entry for the current request. */
export function auditEntry(
  { clock }: Pick<ServiceContext, 'clock'>,
  entry: Omit<NewAuditEntry, 'occurredAt' | 'address'>,
): NewAuditEntry {
  return { ...entry, occurredAt: clock.now(), address: currentRequest()?.address };
}

/** A member of the account, with the right to read its log. */
export interface AuditReader {
  readonly accountId: string;
  readonly role: string;
}

/** Newest first. Auditors read the origins of webhooks only: their paths may be secrets. */
export async function listAudit(
  context: ServiceContext,
  by: AuditReader,
  { before, limit, ...filter }: AuditFilter & { readonly before?: string | undefined; readonly limit: number },
): Promise<AuditPage> {
  const entries: AuditEntry[] = [];
  let read = 0;
  const names = await namesOf(context, by.accountId);
  for await (const page of scanAudit(context, by, { ...filter, before, names })) {
    for (const [index, { entry, isMatch }] of page.entries()) {
      read += 1;
      if (isMatch) entries.push(entry);
      if (entries.length < limit && read < SEARCHED) continue;
      const isOldest = index === page.length - 1 && page.length < PAGE;
      return { entries, next: isOldest ? null : entry.id };
    }
  }
  return { entries, next: null };
}

/** Names of people and devices by their ids. */
export type AuditNames = Readonly<Record<'people' | 'devices', ReadonlyMap<string, string>>>;

export async function namesOf({ metadata }: ServiceContext, accountId: string): Promise<AuditNames> {
  const members = await metadata.members.list(accountId);
  const devices = await metadata.deviceActivity.list(accountId);
  return {
    people: new Map(members.map(({ id, email }) => [id, email])),
    devices: new Map(devices.map(({ id, name }) => [id, name])),
  };
}

/** Yields the entries that a filter may match, a page at a time, with whether it does. */
export async function* scanAudit(
  { metadata }: ServiceContext,
  { accountId, role }: AuditReader,
  { before, names, ...filter }: AuditFilter & { readonly before?: string | undefined; readonly names: AuditNames },
): AsyncGenerator<readonly { readonly entry: AuditEntry; readonly isMatch: boolean }[]> {
  const matches = matcher(filter.search ?? '');
  const { backup_set: set } = filter;
  let oldest = before;
  for (;;) {
    const listing = { ...listingOf(filter), before: oldest, limit: PAGE };
    const page = await metadata.audit.list(accountId, listing);
    // An auditor must not find out a webhook's path by searching for it.
    const entries = page.map((stored) => shownEntry(stored, role));
    yield entries.map((entry) => ({
      entry,
      isMatch: (set === undefined || entry.details['backup_set'] === set) && matches(...textsOf(entry, names)),
    }));
    if (page.length < PAGE) return;
    oldest = page.at(-1)!.id;
    await new Promise(setImmediate);
  }
}

function listingOf({ kind, user_id: userId, device_id: deviceId, from, to }: AuditFilter) {
  return {
    kinds: kind === undefined ? undefined : kindsOf(kind),
    userId,
    deviceId,
    from: from === undefined ? undefined : Date.parse(from),
    to: to === undefined ? undefined : Date.parse(to),
  };
}

function kindsOf(list: string): readonly AuditKind[] {
  const wanted = new Set(list.split(',').map((kind) => kind.trim()));
  return AUDIT_KINDS.filter((kind) => wanted.has(kind) || wanted.has(kind.slice(0, kind.indexOf('.'))));
}

function textsOf({ kind, user_id: user, device_id: device, address, details }: AuditEntry, names: AuditNames) {
  const { member, ...others } = details;
  const texts = [
    kind,
    address,
    user !== null && names.people.get(user),
    member !== undefined && names.people.get(member),
    device !== null && names.devices.get(device),
    ...Object.values(others),
  ];
  return texts.filter((text) => typeof text === 'string');
}

function shownEntry(
  { id, occurredAt, kind, userId, deviceId, address, details = {} }: StoredAuditEntry,
  role: string,
): AuditEntry {
  return {
    id,
    occurred_at: formatTimestamp(occurredAt),
    kind,
    user_id: userId ?? null,
    device_id: deviceId ?? null,
    address: address ?? null,
    details: role === 'auditor' ? withOrigin(details) : { ...details },
  };
}

function withOrigin(details: AuditDetails): Record<string, string> {
  const shown = Object.entries(details).map(([name, value]) => [name, URLS.has(name) ? originOf(value) : value]);
  return Object.fromEntries(shown) as Record<string, string>;
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : '';
}
