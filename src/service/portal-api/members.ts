import type { Member } from '../../protocol/accounts.ts';
import { PORTAL_ROWS } from '../../protocol/portal/portal-devices.ts';
import {
  INACTIVE_DAYS,
  MEMBER_FILTERS,
  type MemberCounts,
  type MemberFilter,
  type MemberOrder,
  type PortalMembers,
  type PortalMembersQuery,
} from '../../protocol/portal/portal-members.ts';
import { listMembers } from '../auth/members.ts';
import type { ServiceContext } from '../context.ts';
import { matcher } from '../request/matcher.ts';
import { DAY } from '../../model/units.ts';

/** A page of the account's members. */
export async function accountMembers(
  context: ServiceContext,
  accountId: string,
  { search, show, sort, offset }: PortalMembersQuery,
): Promise<PortalMembers> {
  const all = await listMembers(context, accountId);
  const isShown = filtersAt(context.clock.now());
  const matches = matcher(search);
  const found = all
    .filter((member) => show === undefined || isShown[show](member))
    .filter(({ email, id }) => matches(email, id))
    .toSorted((a, b) => ORDERS[sort](a, b) || byEmail(a, b));
  const counts = MEMBER_FILTERS.map((filter) => [filter, all.filter(isShown[filter]).length] as const);
  return {
    members: found.slice(offset, offset + PORTAL_ROWS),
    total: found.length,
    all: all.length,
    counts: Object.fromEntries(counts) as MemberCounts,
  };
}

function filtersAt(now: number): Readonly<Record<MemberFilter, (member: Member) => boolean>> {
  const hasRole =
    (wanted: string) =>
    ({ role }: Member): boolean =>
      role === wanted;
  return {
    owner: hasRole('owner'),
    admin: hasRole('admin'),
    member: hasRole('member'),
    auditor: hasRole('auditor'),
    no_factor: ({ mfa }) => !mfa,
    inactive: (member) => now - (activity(member) || Date.parse(member.created_at)) >= INACTIVE_DAYS * DAY,
  };
}

const ORDERS: Readonly<Record<MemberOrder, (a: Member, b: Member) => number>> = {
  email: byEmail,
  active: (a, b) => activity(b) - activity(a),
  used: (a, b) => b.used_bytes - a.used_bytes,
  joined: (a, b) => Date.parse(b.created_at) - Date.parse(a.created_at),
};

function activity({ last_active_at: active }: Member): number {
  return active === null ? 0 : Date.parse(active);
}

function byEmail(a: Member, b: Member): number {
  return a.email.localeCompare(b.email, 'en') || (a.id < b.id ? -1 : 1);
}
