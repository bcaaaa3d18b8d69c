import { z } from 'zod';
import { member } from '../accounts.ts';

/** What members are filtered by: a role, or what an admin looks for. */
export const MEMBER_FILTERS = ['owner', 'admin', 'member', 'auditor', 'no_factor', 'inactive'] as const;
export const memberFilter = z.enum(MEMBER_FILTERS);
export type MemberFilter = z.infer<typeof memberFilter>;

/** `active` begins with those who were active last, `used` with those who back up most, `joined` with the newest. */
export const MEMBER_ORDERS = ['email', 'active', 'used', 'joined'] as const;
export const memberOrder = z.enum(MEMBER_ORDERS);
export type MemberOrder = z.infer<typeof memberOrder>;

/** Days without activity after which a member counts as inactive. */
export const INACTIVE_DAYS = 30;

/** `search` is part of an address or id. */
export const portalMembersQuery = z.object({
  search: z.string().max(200).default(''),
  show: memberFilter.optional(),
  sort: memberOrder.default('email'),
  offset: z.coerce.number().int().min(0).max(10_000_000).default(0),
});
export type PortalMembersQuery = z.infer<typeof portalMembersQuery>;

export const memberCounts = z.record(memberFilter, z.int());
export type MemberCounts = z.infer<typeof memberCounts>;

export const portalMembers = z.object({
  members: z.array(member),
  /** The members that match, on all pages. */
  total: z.int(),
  /** Of the whole account. */
  all: z.int(),
  counts: memberCounts,
});
export type PortalMembers = z.infer<typeof portalMembers>;
