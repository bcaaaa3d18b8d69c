import { randomBytes } from 'node:crypto';
import type { Invitation, Member, NewInvitation, Role, SignInChallenge } from '../../protocol/accounts.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { ServiceContext } from '../context.ts';
import type { Caller, Person } from '../caller.ts';
import { mayMailInvitation } from '../mail/invitation-limit.ts';
import { newIdentifier } from '../identifier.ts';
import { ServiceProblem } from '../request/problem.ts';
import type { StoredInvitation } from './member-store.ts';
import type { User } from './account-store.ts';
import { timeOrNull } from '../stored-time.ts';
import type { AccessTokens } from './tokens/access-tokens.ts';
import { auditEntry } from '../audit/audit.ts';
import { invitationHash } from './invitation-hash.ts';
import { hashPassword } from './passwords/password.ts';
import { requireUser } from './require-user.ts';
import { challengeOf } from './sign-in.ts';
import { previousDetails } from '../audit/audit-store.ts';
import { DAY } from '../../model/units.ts';

/** Lifetime of an invitation in milliseconds. */
const INVITATION_LIFETIME = 7 * DAY;

/** The roles that suffice where one is demanded. */
const SUFFICIENT: Readonly<Record<'auditor' | 'admin' | 'owner', readonly string[]>> = {
  auditor: ['owner', 'admin', 'auditor'],
  admin: ['owner', 'admin'],
  owner: ['owner'],
};

/**
 * Returns the user of a request, who must have at least the given role. Roles are read each time, so a change takes effect
 * immediately. Throws `permission_denied`.
 */
export async function requireRole(
  context: ServiceContext,
  caller: Person | Caller,
  least: 'auditor' | 'admin' | 'owner',
): Promise<User> {
  if (caller.kind !== 'user') throw new ServiceProblem('permission_denied', { detail: 'only people manage accounts' });
  const user = await requireUser(context, caller.userId);
  if (SUFFICIENT[least].includes(user.role)) return user;
  throw new ServiceProblem('permission_denied', { detail: `this takes the role "${least}"` });
}

export async function listMembers({ metadata, clock }: ServiceContext, accountId: string): Promise<Member[]> {
  const members = await metadata.members.list(accountId);
  const limits = await metadata.quotas.limits(accountId);
  const used = await metadata.quotas.used(accountId, clock.now());
  const devices = new Map<string, { present: number; lastSeen: number }>();
  for (const { registeredBy, lastSeen, revokedAt } of await metadata.deviceActivity.list(accountId)) {
    if (registeredBy === undefined) continue;
    const own = devices.get(registeredBy) ?? { present: 0, lastSeen: 0 };
    own.lastSeen = Math.max(own.lastSeen, lastSeen);
    if (revokedAt === undefined) own.present += 1;
    devices.set(registeredBy, own);
  }
  return members.map(({ id, email, role, factors, createdAt, activeAt = 0 }) => ({
    id,
    email,
    role,
    mfa: factors > 0,
    created_at: formatTimestamp(createdAt),
    last_active_at: timeOrNull(Math.max(activeAt, devices.get(id)?.lastSeen ?? 0) || undefined),
    devices: devices.get(id)?.present ?? 0,
    quota_bytes: limits.get(id) ?? null,
    used_bytes: used.get(id) ?? 0,
  }));
}

/** Owners may assign any role; admins manage members only, and appoint no owners. Auditors are managed by owners: they watch admins, too. */
export async function changeRole(context: ServiceContext, by: User, userId: string, role: Role): Promise<void> {
  if (role === 'owner') requireOwner(by);
  const { role: from } = await memberToManage(context, by, userId);
  const details = { member: userId, role, ...previousDetails({ role: from }) };
  const audit = auditEntry(context, { accountId: by.accountId, userId: by.id, kind: 'member.role_changed', details });
  requireDone(await context.metadata.members.changeRole(by.accountId, userId, role, audit, from));
  context.callers.forgetAll();
}

/** Limits how much the devices of a person may back up. Admins may limit everybody, also themselves and owners: it removes nothing. */
export async function changeQuota(
  context: ServiceContext,
  by: User,
  userId: string,
  limit: number | null,
): Promise<void> {
  const { accountId } = by;
  const details = { member: userId, ...(limit === null ? {} : { limit_bytes: String(limit) }) };
  const audit = auditEntry(context, { accountId, userId: by.id, kind: 'member.quota_changed', details });
  if (!(await context.metadata.quotas.set(accountId, userId, limit ?? undefined, audit))) requireDone(undefined);
}

/** Ends the member's sign-ins; backups of the member's devices stay with the account. */
export async function removeMember(context: ServiceContext, by: User, userId: string): Promise<void> {
  const { role: from } = await memberToManage(context, by, userId);
  const details = { member: userId };
  const audit = auditEntry(context, { accountId: by.accountId, userId: by.id, kind: 'member.removed', details });
  requireDone(await context.metadata.members.remove(by.accountId, userId, audit, from));
  context.callers.forgetAll();
}

/**
 * Removes all factors and ends all sign-ins of a member who lost phone and recovery codes. The next correct password leads
 * to a new factor.
 */
export async function resetFactors(context: ServiceContext, by: User, userId: string): Promise<void> {
  if (userId === by.id) throw new ServiceProblem('conflict', { detail: 'nobody resets their own second factor' });
  const { email, role } = await memberToManage(context, by, userId);
  const now = context.clock.now();
  const details = { member: userId };
  const done = await context.metadata.secondFactors.reset(userId, {
    now,
    event: {
      event: 'security.mfa_disabled',
      data: { user_id: userId, email, role, disabled_by: by.id, disabled_at: formatTimestamp(now) },
    },
    audit: auditEntry(context, { accountId: by.accountId, userId: by.id, kind: 'factor.reset', details }),
  });
  if (!done) throw new ServiceProblem('conflict', { detail: 'the member has no second factor' });
  context.callers.forgetAll();
}

/**
 * The token lets one person join once. It is mailed if the service sends mail and has not mailed too many; otherwise the inviting person
 * passes it on.
 */
export async function invite(
  context: ServiceContext,
  by: User,
  { email, role }: { readonly email: string; readonly role: Exclude<Role, 'owner'> },
): Promise<NewInvitation> {
  const token = `hfi_${randomBytes(32).toString('base64url')}`;
  const { accountId } = by;
  const expiresAt = context.clock.now() + INVITATION_LIFETIME;
  const invitation: StoredInvitation = { id: newIdentifier('inv'), accountId, email, role, expiresAt };
  const details = { invitation: invitation.id, role };
  const audit = auditEntry(context, { accountId, userId: by.id, kind: 'member.invited', details });
  await context.metadata.members.invite(invitation, invitationHash(token), audit);
  const { mail } = context;
  const link = mail?.link(`#/join?token=${encodeURIComponent(token)}`);
  const limited = mail !== undefined && !(await mayMailInvitation(context, accountId, email));
  const mailed =
    mail !== undefined &&
    !limited &&
    (await mail.send({ to: email, ...mail.texts.invitation(link!, mail.timeText(expiresAt)) }));
  return { ...described(invitation), token, mailed, mail_limited: limited };
}

export async function listInvitations({ metadata, clock }: ServiceContext, accountId: string): Promise<Invitation[]> {
  return (await metadata.members.invitations(accountId, clock.now())).map(described);
}

export async function withdrawInvitation(context: ServiceContext, by: User, id: string): Promise<void> {
  const details = { invitation: id };
  const entry = { accountId: by.accountId, userId: by.id, kind: 'member.invitation_withdrawn', details } as const;
  const done = await context.metadata.members.withdraw(by.accountId, id, auditEntry(context, entry));
  if (!done) throw new ServiceProblem('not_found', { detail: 'no such invitation' });
}

/** Joins an account with a new password; the response leads to a second factor. */
export async function acceptInvitation(
  context: ServiceContext,
  tokens: AccessTokens,
  { token, password }: { readonly token: string; readonly password: string },
): Promise<SignInChallenge> {
  const { metadata, clock } = context;
  const now = clock.now();
  const invitation = await metadata.members.invitationByToken(invitationHash(token), now);
  if (!invitation) throw new ServiceProblem('not_found', { detail: 'no such invitation, or no longer' });
  const passwordHash = await hashPassword(password, context.accountSettings.passwordCost);
  const user = await metadata.members.accept(invitation.id, { email: invitation.email, passwordHash, now });
  if (!user) throw new ServiceProblem('conflict', { detail: 'the e-mail address has an account already' });
  return challengeOf(context, tokens, user);
}

async function memberToManage(context: ServiceContext, by: User, userId: string): Promise<User> {
  const user = await context.metadata.accounts.user(userId);
  if (user?.accountId !== by.accountId) throw new ServiceProblem('not_found', { detail: 'no such member' });
  if (user.role !== 'member' && user.id !== by.id) requireOwner(by);
  return user;
}

/**
 * Checks that a person can be erased: a member whom `by` manages, or somebody who left and registered devices.
 *
 * @throws ServiceProblem `not_found`, `permission_denied`; `conflict` for the last owner
 */
export async function memberToErase(context: ServiceContext, by: User, userId: string): Promise<void> {
  const { accounts, erasures, members } = context.metadata;
  const { accountId } = by;
  if (!(await accounts.user(userId))) {
    const { devices } = await erasures.partsOf({ accountId, scope: 'member', target: userId });
    if (devices.length === 0) requireDone(undefined);
    return;
  }
  const { role } = await memberToManage(context, by, userId);
  const owners = (await members.list(accountId)).filter((member) => member.role === 'owner');
  if (role === 'owner' && owners.length === 1) requireDone('last_owner');
}

/**
 * Checks that `by` may keep a person whose erasure was requested. Nobody but an owner cancels the own one, unless they requested it.
 *
 * @throws ServiceProblem `permission_denied`
 */
export async function requireMayKeepMember(
  { metadata }: ServiceContext,
  by: User,
  { target, requestedBy }: { readonly target: string; readonly requestedBy: string | undefined },
): Promise<void> {
  const user = await metadata.accounts.user(target);
  const isOwnWish = target === by.id && requestedBy === by.id;
  if (user && user.role !== 'member' && !isOwnWish) requireOwner(by);
}

/** @throws ServiceProblem `permission_denied` */
export function requireOwner({ role }: User): void {
  if (role !== 'owner') throw new ServiceProblem('permission_denied', { detail: 'this takes the role "owner"' });
}

function requireDone(outcome: string | undefined): void {
  if (outcome === undefined) throw new ServiceProblem('not_found', { detail: 'no such member' });
  if (outcome === 'last_owner') throw new ServiceProblem('conflict', { detail: 'an account keeps one owner at least' });
  if (outcome === 'other_role') throw new ServiceProblem('conflict', { detail: 'the role was changed meanwhile' });
}

function described({ id, email, role, expiresAt }: StoredInvitation): Invitation {
  return { id, email, role, expires_at: formatTimestamp(expiresAt) };
}
