import type { Query } from '../../api/calls.ts';

/** What an audit log is filtered by, as in the address of the page; empty fields match everything. */
export const AUDIT_FIELDS = ['search', 'what', 'who', 'device', 'from', 'to'] as const;
export type AuditSearch = Readonly<Record<(typeof AUDIT_FIELDS)[number], string>>;

export const NO_SEARCH: AuditSearch = { search: '', what: '', who: '', device: '', from: '', to: '' };

/** Groups of kinds that a person looks for, by the beginnings of the kinds. */
const GROUPS = {
  sign_in: 'sign_in,session,password,factor,passkey,recovery_codes',
  team: 'account,member',
  devices: 'device',
  restore_points: 'retention,restore_point',
  webhooks: 'webhook',
  plan: 'plan,payment',
  erasure: 'erasure',
} as const;
export const AUDIT_GROUPS = Object.keys(GROUPS) as readonly (keyof typeof GROUPS)[];

/** Returns the parameters of the request. What is no group or day is left out, since anybody can write an address. */
export function auditQueryOf({ search, what, who, device, from, to }: AuditSearch): Query {
  return {
    search: search.slice(0, 200),
    kind: AUDIT_GROUPS.some((group) => group === what) ? GROUPS[what as keyof typeof GROUPS] : undefined,
    user_id: who.slice(0, 512),
    device_id: device.slice(0, 512),
    from: startOf(from, 0),
    to: startOf(to, 1),
  };
}

/** Returns when a day of this computer's time zone begins, or one after it. */
function startOf(day: string, later: number): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? [];
  if (year === undefined) return undefined;
  const start = new Date(Number(year), Number(month) - 1, Number(date) + later);
  return Number.isNaN(start.getTime()) ? undefined : start.toISOString();
}
