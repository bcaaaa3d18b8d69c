import { z } from 'zod';
import type { Role } from '../../../protocol/accounts.ts';

/** Groups of one person, and characters of one of them. */
const MOST_GROUPS = 1_000;
const LONGEST_GROUP = 512;

const group = z.string().min(1).max(LONGEST_GROUP);

/** The roles that a provider's groups give, the strongest first. Nobody becomes or ceases to be an owner by a group. */
const GIVEN = ['admin', 'auditor', 'member'] as const satisfies readonly Role[];

/** Which groups of an identity provider give which role. */
export const rolesByGroups = z
  .strictObject({
    /** The claim with the names or ids of the person's groups. */
    claim: z.string().min(1).max(200).default('groups'),
    /** What the provider needs to be asked for besides `openid email`, such as `groups`. */
    scope: z
      .string()
      .regex(/^[\x21\x23-\x5B\x5D-\x7E]+$/)
      .optional(),
    admin: z.array(group).max(MOST_GROUPS).default([]),
    auditor: z.array(group).max(MOST_GROUPS).default([]),
    member: z.array(group).max(MOST_GROUPS).default([]),
  })
  .refine((roles) => GIVEN.some((role) => roles[role].length > 0), 'gives no group a role');
export type RolesByGroups = z.infer<typeof rolesByGroups>;

/** Some providers send the only group as text. */
const groupsClaim = z.union([group.transform((one) => [one]), z.array(group).max(MOST_GROUPS)]);

/**
 * Returns the strongest role that a person's groups give; `undefined` if none does, or if the claim is missing or no list of groups.
 *
 * @param claims whatever the provider has sent
 */
export function roleOfGroups(roles: RolesByGroups, claims: Readonly<Record<string, unknown>>): Role | undefined {
  const claim = Object.hasOwn(claims, roles.claim) ? claims[roles.claim] : undefined;
  const { data: groups = [] } = groupsClaim.safeParse(claim);
  return GIVEN.find((role) => roles[role].some((name) => groups.includes(name)));
}

/** Returns the role that a person has from now on; `undefined` if they may not sign in. */
export function roleFromNowOn(present: string, given: Role | undefined): Role | undefined {
  return present === 'owner' ? 'owner' : given;
}
