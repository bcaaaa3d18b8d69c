import { beforeEach, expect, test } from 'vitest';
import type { Role } from '../../../src/protocol/accounts.ts';
import type { AuditFilter, NewAuditEntry } from '../../../src/service/audit/audit-store.ts';
import type { User } from '../../../src/service/auth/account-store.ts';
import { createMemberStore } from '../../../src/service/auth/member-store.ts';
import { createSecondFactorStore } from '../../../src/service/auth/factors/second-factor-store.ts';
import { createSignInStore } from '../../../src/service/auth/tokens/sign-in-store.ts';
import { createAuditStore } from '../../../src/service/audit/audit-store.ts';
import { createDeviceActivityStore } from '../../../src/service/devices/device-activity-store.ts';
import type { SqlDatabase } from '../../../src/service/database/sql-database.ts';
import { describeOnEveryDatabase } from './databases.ts';

const NOW = 1_770_000_000_000;
const HOUR = 3_600_000;

function createStores(database: SqlDatabase) {
  return {
    audit: createAuditStore(database),
    secondFactors: createSecondFactorStore(database),
    members: createMemberStore(database),
    signIns: createSignInStore(database),
    deviceActivity: createDeviceActivityStore(database),
  };
}

describeOnEveryDatabase('account stores', (open) => {
  let database: SqlDatabase;
  let stores: ReturnType<typeof createStores>;
  let anna: User;
  beforeEach(async () => {
    database = await open();
    stores = createStores(database);
    anna = (await stores.members.createAccount({ email: 'Anna@example.com', passwordHash: 'h', now: NOW }))!;
  });

  const audit = (kind: NewAuditEntry['kind'], at = NOW): NewAuditEntry => ({
    accountId: anna.accountId,
    userId: anna.id,
    kind,
    occurredAt: at,
  });
  const kinds = async () => (await stores.audit.list(anna.accountId, { limit: 99 })).map(({ kind }) => kind);
  const proved = (id: string, codes: readonly string[] = ['c1', 'c2']) =>
    stores.secondFactors.activate(id, { step: 7, recoveryCodes: codes, now: NOW, audit: audit('factor.added') });
  const enrol = (id: string, userId = anna.id) =>
    stores.secondFactors.enrol({ id, userId, friendlyName: 'App', secret: 'ABC', expiresAt: NOW + HOUR });
  const signIn = async (id: string, at = NOW, userId = anna.id) => {
    const { queries } = database;
    await queries.insertInto('token_family').values({ id, user_id: userId, created_at: at, factor_at: at }).execute();
    const token = { hash: Buffer.from(id), family_id: id, created_at: at, expires_at: NOW + HOUR };
    await queries.insertInto('refresh_token').values(token).execute();
  };
  const live = async (userId = anna.id) => (await stores.signIns.list(userId, NOW)).map(({ id }) => id);
  const device = async (
    id: string,
    values: { created_at?: number; last_backup?: number; revoked_at?: number } = {},
  ) => {
    const row = { id, account_id: anna.accountId, name: id, os: 'os', agent_version: '1', permissions_json: '[]' };
    await database.queries
      .insertInto('device')
      .values({ ...row, key_hash: Buffer.alloc(32), created_at: NOW, ...values })
      .execute();
  };

  const registered = async (id: string) => {
    const row = { device_id: id, registered_by: anna.id, last_seen: NOW, offline_since: null };
    await database.queries.insertInto('device_activity').values(row).execute();
  };

  test('allows one account for an e-mail address, ignoring case', async () => {
    const again = { email: 'anna@EXAMPLE.com', passwordHash: '', now: NOW };
    expect(await stores.members.createAccount(again)).toBeUndefined();
    expect(await stores.members.list(anna.accountId)).toEqual([
      { id: anna.id, email: 'Anna@example.com', role: 'owner', factors: 0, createdAt: NOW, activeAt: undefined },
    ]);
  });

  test('distinguishes e-mail addresses whose other letters than ASCII differ in case', async () => {
    const owner = { passwordHash: '', now: NOW };
    const invitation = { accountId: anna.accountId, role: 'member', expiresAt: NOW + HOUR } as const;
    expect(await stores.members.createAccount({ ...owner, email: 'Änne@example.com' })).toBeDefined();
    expect(await stores.members.createAccount({ ...owner, email: 'änne@example.com' })).toBeDefined();
    await stores.members.invite({ ...invitation, id: 'inv_1', email: 'Ömer@b.org' }, 't1', audit('member.invited'));
    await stores.members.invite({ ...invitation, id: 'inv_2', email: 'ömer@b.org' }, 't2', audit('member.invited'));
    await stores.members.invite({ ...invitation, id: 'inv_3', email: 'öMER@B.ORG' }, 't3', audit('member.invited'));
    const invited = await stores.members.invitations(anna.accountId, NOW);
    expect(invited.map(({ id }) => id)).toEqual(['inv_1', 'inv_3']);
  });

  test("activates a user's last enrolment once, with recovery codes if there are none", async () => {
    await enrol('fac_1');
    await enrol('fac_2');
    expect(await stores.secondFactors.pending('fac_1')).toBeUndefined();
    expect(await stores.secondFactors.pending('fac_2')).toMatchObject({ userId: anna.id, secret: 'ABC' });
    expect(await proved('fac_2')).toBe('activated_with_codes');
    expect(await proved('fac_2')).toBeUndefined();
    await enrol('fac_3');
    expect(await proved('fac_3', ['c3'])).toBe('activated');
    expect(await stores.secondFactors.recoveryCodesLeft(anna.id)).toBe(2);
    expect(await stores.secondFactors.remove(anna.id, 'fac_x', audit('factor.removed'))).toBeUndefined();
    expect(await stores.secondFactors.remove(anna.id, 'fac_2', audit('factor.removed'))).toBe('removed');
    expect(await stores.secondFactors.remove(anna.id, 'fac_3', audit('factor.removed'))).toBe('last');
    expect(await kinds()).toEqual(['factor.removed', 'factor.added', 'factor.added', 'account.created']);
  });

  test('accepts a recovery code once, also of concurrent attempts', async () => {
    await stores.secondFactors.replaceRecoveryCodes(anna.id, ['c1', 'c2'], audit('recovery_codes.replaced'));
    const use = (hash: string) =>
      stores.secondFactors.useRecoveryCode(anna.id, hash, audit('sign_in.recovery_code_used'));
    const outcomes = await Promise.all([use('c1'), use('c1'), use('c1'), use('other')]);
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    await stores.secondFactors.replaceRecoveryCodes(anna.id, ['c9'], audit('recovery_codes.replaced'));
    expect([await use('c2'), await use('c9')]).toEqual([false, true]);
  });

  test('removes factors, codes and sign-ins on a reset, with an event', async () => {
    await enrol('fac_1');
    await proved('fac_1');
    await signIn('fam_1');
    const data = {
      user_id: anna.id,
      email: 'e',
      role: 'owner',
      disabled_by: null,
      disabled_at: '2026-01-01T00:00:00.000Z',
    };
    const reset = () =>
      stores.secondFactors.reset(anna.id, {
        now: NOW,
        event: { event: 'security.mfa_disabled', data },
        audit: audit('factor.reset'),
      });
    expect([await reset(), await reset()]).toEqual([true, false]);
    expect([await live(), await stores.secondFactors.recoveryCodesLeft(anna.id)]).toEqual([[], 0]);
  });

  test('lists sign-ins that can be renewed, the last used first', async () => {
    await signIn('fam_1');
    await signIn('fam_2', NOW - 5);
    await stores.signIns.used('fam_1', { userAgent: 'x', address: 'y' }, NOW - 9);
    await stores.signIns.used('fam_1', { userAgent: 'agent', address: '192.0.2.1' }, NOW - 8);
    expect(await stores.signIns.list(anna.id, NOW)).toEqual([
      { id: 'fam_2', createdAt: NOW - 5, lastUsedAt: NOW - 5, userAgent: '', address: '' },
      { id: 'fam_1', createdAt: NOW, lastUsedAt: NOW - 8, userAgent: 'agent', address: '192.0.2.1' },
    ]);
    expect(await stores.signIns.list(anna.id, NOW + HOUR)).toEqual([]);
    expect(await stores.signIns.end('usr_other', 'fam_1', audit('session.ended'))).toBe(false);
    expect(await stores.signIns.end(anna.id, 'fam_1', audit('session.ended'))).toBe(true);
    expect(await stores.signIns.end(anna.id, 'fam_1', audit('session.ended'))).toBe(false);
    expect(await live()).toEqual(['fam_2']);
  });

  test('ends every sign-in except for the one that changes the password', async () => {
    await signIn('fam_1');
    await signIn('fam_2');
    const change = { keepFamily: 'fam_2', now: NOW, audit: audit('password.changed') };
    await stores.members.setPassword(anna.id, 'new', change);
    expect(await live()).toEqual(['fam_2']);
  });

  test('accepts an invitation once, and replaces an earlier one for the same e-mail address', async () => {
    const invitation = {
      accountId: anna.accountId,
      email: 'Bob@b.org',
      role: 'member' as const,
      expiresAt: NOW + HOUR,
    };
    await stores.members.invite({ ...invitation, id: 'inv_1' }, 't1', audit('member.invited'));
    await stores.members.invite({ ...invitation, id: 'inv_2', email: 'bob@B.org' }, 't2', audit('member.invited'));
    expect(await stores.members.invitationByToken('t1', NOW)).toBeUndefined();
    expect(await stores.members.invitationByToken('t2', NOW + HOUR)).toBeUndefined();
    expect(await stores.members.invitationByToken('t2', NOW)).toMatchObject({ id: 'inv_2' });
    const bob = { email: 'bob@b.org', passwordHash: 'h', now: NOW };
    const identity = { issuer: 'https://idp', subject: 'b' };
    const joined = await Promise.all([
      stores.members.accept('inv_2', bob, identity),
      stores.members.accept('inv_2', bob, identity),
    ]);
    expect(joined.filter((user) => user?.role === 'member')).toHaveLength(1);
    expect(await stores.members.userByIdentity(identity)).toMatchObject({ email: 'bob@b.org' });
    expect(await stores.members.invitations(anna.accountId, NOW)).toEqual([]);
  });

  test('removes a member with all credentials, but not the last owner', async () => {
    const bob = (await stores.members.createAccount({ email: 'b@b.org', passwordHash: '', now: NOW }))!;
    const { accountId } = anna;
    await database.queries.updateTable('user').set({ account_id: accountId }).where('id', '=', bob.id).execute();
    await enrol('fac_1', bob.id);
    await proved('fac_1');
    await enrol('fac_2', bob.id);
    await signIn('fam_1', NOW, bob.id);
    await stores.signIns.used('fam_1', { userAgent: '', address: '' }, NOW);
    await stores.members.linkIdentity(bob.id, { issuer: 'i', subject: 's' }, audit('sign_in.provider_linked'));
    expect(await stores.members.remove(accountId, bob.id, audit('member.removed'))).toBe('removed');
    expect(await stores.members.remove(accountId, bob.id, audit('member.removed'))).toBeUndefined();
    expect(await stores.members.remove(accountId, anna.id, audit('member.removed'))).toBe('last_owner');
    expect(await stores.members.changeRole(accountId, anna.id, 'admin', audit('member.role_changed'))).toBe(
      'last_owner',
    );
    expect(await stores.members.userByIdentity({ issuer: 'i', subject: 's' })).toBeUndefined();
  });

  test('keeps one owner when two make each other members concurrently', async () => {
    const bob = (await stores.members.createAccount({ email: 'b@b.org', passwordHash: '', now: NOW }))!;
    const { accountId } = anna;
    await database.queries.updateTable('user').set({ account_id: accountId }).where('id', '=', bob.id).execute();
    const demote = (id: string) => stores.members.changeRole(accountId, id, 'member', audit('member.role_changed'));
    expect((await Promise.all([demote(anna.id), demote(bob.id)])).toSorted()).toEqual(['changed', 'last_owner']);
  });

  test('changes a role only from the one that the caller has seen, if it names one', async () => {
    const bob = (await stores.members.createAccount({ email: 'b@b.org', passwordHash: '', now: NOW }))!;
    const { accountId } = anna;
    await database.queries.updateTable('user').set({ account_id: accountId }).where('id', '=', bob.id).execute();
    const change = (from: Role, to: Role) =>
      stores.members.changeRole(accountId, bob.id, to, audit('member.role_changed'), from);
    expect(await change('member', 'admin')).toBe('other_role');
    const leave = (from: Role) => stores.members.remove(accountId, bob.id, audit('member.removed'), from);
    expect(await leave('member')).toBe('other_role');
    expect(await change('owner', 'member')).toBe('changed');
    expect(await change('member', 'admin')).toBe('changed');
    expect((await kinds()).filter((kind) => kind === 'member.role_changed')).toHaveLength(2);
  });

  test('reads the audit log backwards in pages, and prunes old entries', async () => {
    for (let count = 0; count < 5; count += 1) await stores.audit.record(audit('device.renamed', NOW + (count >> 1)));
    const all = await stores.audit.list(anna.accountId, { limit: 99 });
    const first = await stores.audit.list(anna.accountId, { limit: 2 });
    const rest = await stores.audit.list(anna.accountId, { before: first[1]!.id, limit: 99 });
    expect([...first, ...rest]).toEqual(all);
    await stores.audit.prune(NOW + 1);
    expect((await kinds()).length).toBe(3);
  });

  test('filters the audit log by kind, person, device and time', async () => {
    const kinds = ['device.renamed', 'device.revoked', 'webhook.added', 'device.renamed'] as const;
    for (const [index, kind] of kinds.entries()) await stores.audit.record(audit(kind, NOW + index + 1));
    await stores.audit.record({ ...audit('device.revoked', NOW + 9), userId: undefined, deviceId: 'dev_1' });
    const listed = async (filter: AuditFilter) =>
      (await stores.audit.list(anna.accountId, { ...filter, limit: 99 })).map(({ occurredAt }) => occurredAt - NOW);
    expect(await listed({ kinds: ['device.renamed', 'webhook.added'] })).toEqual([4, 3, 1]);
    expect(await listed({ kinds: [] })).toEqual([]);
    expect(await listed({ userId: anna.id })).toEqual([4, 3, 2, 1, 0]);
    expect(await listed({ deviceId: 'dev_1' })).toEqual([9]);
    expect(await listed({ from: NOW + 2, to: NOW + 4 })).toEqual([3, 2]);
    const [, newest] = await stores.audit.list(anna.accountId, { limit: 2 });
    expect(
      await stores.audit.list(anna.accountId, { kinds: ['device.renamed'], before: newest!.id, limit: 1 }),
    ).toEqual([expect.objectContaining({ occurredAt: NOW + 1 })]);
    expect(await stores.audit.list('acc_other', { limit: 99 })).toEqual([]);
  });

  test('knows when a person last used a sign-in', async () => {
    const active = async () => (await stores.members.list(anna.accountId)).map(({ activeAt }) => activeAt);
    await signIn('fam_1');
    expect(await active()).toEqual([undefined]);
    await stores.signIns.used('fam_1', { userAgent: '', address: '' }, NOW + 7);
    expect(await active()).toEqual([NOW + 7]);
    await stores.signIns.end(anna.id, 'fam_1', audit('session.ended', NOW + 8));
    expect(await active()).toEqual([NOW + 7]);
  });

  test('reports a device as offline once, until it is seen again', async () => {
    await device('dev_1', { created_at: NOW - 9 * HOUR });
    await device('dev_2', { created_at: NOW - 9 * HOUR, last_backup: NOW });
    await device('dev_3', { created_at: NOW - 9 * HOUR, revoked_at: NOW });
    await device('dev_4', { created_at: NOW - 9 * HOUR });
    await registered('dev_4');
    const reported: string[] = [];
    const report = (now: number) =>
      stores.deviceActivity.reportOffline({ before: now - HOUR, now, limit: 9 }, ({ id, name, lastSeen }) => {
        reported.push(id);
        const data = { device_id: id, device_name: name, os: '', agent_version: '', last_backup: null };
        const last_seen = new Date(lastSeen).toISOString();
        return { event: 'device.offline', data: { ...data, last_seen, threshold_seconds: 3600 } };
      });
    expect([await report(NOW), await report(NOW), reported]).toEqual([1, 0, ['dev_1']]);
    await stores.deviceActivity.seen('dev_1', NOW);
    expect(await report(NOW + HOUR)).toBe(0);
    expect(await report(NOW + HOUR + 1)).toBe(3);
    expect(reported.toSorted()).toEqual(['dev_1', 'dev_1', 'dev_2', 'dev_4']);
  });

  test('lists devices with the facts of their status', async () => {
    await device('dev_1', { last_backup: NOW + 5 });
    await device('dev_2', { revoked_at: NOW + 6, created_at: NOW + 1 });
    await registered('dev_1');
    const { queries } = database;
    const { number } = await queries
      .insertInto('backup_set')
      .values({ account_id: anna.accountId, device_id: 'dev_1', name: 's' })
      .returning('number')
      .executeTakeFirstOrThrow();
    const session = { account_id: anna.accountId, device_id: 'dev_1', set_number: number, created_at: NOW, base: 0 };
    await queries
      .insertInto('session')
      .values({ ...session, id: 'ses_1', state: 'failed', active_at: NOW, ended_at: NOW + 3 })
      .execute();
    expect(await stores.deviceActivity.list(anna.accountId)).toMatchObject([
      { id: 'dev_1', registeredBy: anna.id, lastSeen: NOW + 5, lastBackup: NOW + 5, lastFailure: NOW + 3 },
      { id: 'dev_2', registeredBy: undefined, lastSeen: NOW + 1, revokedAt: NOW + 6 },
    ]);
    const [first] = await stores.deviceActivity.list(anna.accountId);
    expect(await stores.deviceActivity.find(anna.accountId, 'dev_1')).toEqual(first);
    expect(await stores.deviceActivity.find('acc_other', 'dev_1')).toBeUndefined();
    const rename = (id: string) => stores.deviceActivity.rename(anna.accountId, id, 'new', audit('device.renamed'));
    expect([await rename('dev_1'), await rename('dev_2'), await rename('dev_3')]).toEqual([true, false, false]);
  });
});
