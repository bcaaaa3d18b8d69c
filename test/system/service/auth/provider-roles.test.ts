import { createHash, randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Role } from '../../../../src/protocol/accounts.ts';
import { identityProvider } from '../../../../src/service/auth/account-settings.ts';
import { roleFromNowOn, roleOfGroups, rolesByGroups } from '../../../../src/service/auth/providers/roles-by-groups.ts';
import { Browser } from '../../../helpers/identity-provider/browser.ts';
import { CLIENT, startIdentityProvider } from '../../../helpers/identity-provider/identity-provider.ts';
import { BASE, TestClock, TestService } from '../../../unit/service/harness.ts';

const ROLES = { scope: 'groups', admin: ['backup-admins'], auditor: ['audit'], member: ['staff', 'interns'] };
const PAGE = 'http://127.0.0.1:4711/back';

describe('the role of groups', () => {
  const roles = rolesByGroups.parse(ROLES);

  test.each<readonly [groups: unknown, role: Role | undefined]>([
    [['staff'], 'member'],
    [['other', 'interns'], 'member'],
    [['staff', 'audit'], 'auditor'],
    [['staff', 'audit', 'backup-admins'], 'admin'],
    ['staff', 'member'],
    [[], undefined],
    [['Staff'], undefined],
    [undefined, undefined],
    [null, undefined],
    [7, undefined],
    [{ 0: 'staff' }, undefined],
    [['staff', 7], undefined],
    [['staff', ''], undefined],
    [['staff', 'x'.repeat(513)], undefined],
    [['staff', ...Array.from({ length: 1_000 }, (_, index) => `${index}`)], undefined],
  ])('of %j is %s', (groups, role) => {
    expect(roleOfGroups(roles, { groups })).toBe(role);
  });

  test('is read from the own claims only', () => {
    for (const claim of ['constructor', '__proto__', 'toString']) {
      expect(roleOfGroups({ ...roles, claim }, { groups: ['staff'] })).toBeUndefined();
    }
    expect(
      roleOfGroups({ ...roles, claim: 'https://example.org/groups' }, { 'https://example.org/groups': 'audit' }),
    ).toBe('auditor');
  });

  test.each<readonly [present: Role, given: Role | undefined, after: Role | undefined]>([
    ['owner', 'member', 'owner'],
    ['owner', undefined, 'owner'],
    ['admin', 'member', 'member'],
    ['member', 'admin', 'admin'],
    ['auditor', 'auditor', 'auditor'],
    ['admin', undefined, undefined],
    ['member', undefined, undefined],
  ])('makes of %s with %s: %s', (present, given, after) => {
    expect(roleFromNowOn(present, given)).toBe(after);
  });

  test('cannot be owner, and is configured for one group at least', () => {
    const provider = { name: 'company', issuer: 'https://login.example.org', clientId: 'holdfast' };
    const isValid = (given: object): boolean => identityProvider.safeParse({ ...provider, roles: given }).success;
    expect(isValid(ROLES)).toBe(true);
    for (const wrong of [
      {},
      { owner: ['staff'] },
      { admin: [''] },
      { ...ROLES, scope: 'a b' },
      { ...ROLES, claim: '' },
    ]) {
      expect(isValid(wrong)).toBe(false);
    }
  });
});

describe('a sign-in through a provider with groups', () => {
  class PresentClock extends TestClock {
    override now = (): number => Date.now();
  }
  let service: TestService;
  const verifier = randomBytes(32).toString('base64url');
  const claims: Record<string, { groups?: unknown }> = {};
  beforeEach(async () => {
    for (const name of Object.keys(claims)) delete claims[name];
    const issuer = await startIdentityProvider(() => `${BASE}/auth/v1/callback`, claims);
    const providers = [identityProvider.parse({ name: 'company', issuer, ...CLIENT, roles: ROLES })];
    service = await TestService.open(undefined, new PresentClock(), undefined, undefined, { providers, signup: true });
  });

  async function signIn(name: string, invitation?: string): Promise<string> {
    const query = new URLSearchParams({
      provider: 'company',
      redirect_to: PAGE,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 's256',
      ...(invitation === undefined ? {} : { invitation }),
    });
    const browser = new Browser((url, init) =>
      url.startsWith(BASE) ? service.service.fetch(new Request(url, init)) : fetch(url, init),
    );
    const back = await browser.signIn(`${BASE}/auth/v1/authorize?${query.toString()}`, name, (url) =>
      url.startsWith(PAGE),
    );
    return back.searchParams.get('error') ?? 'signed in';
  }

  async function invited(email: string): Promise<string> {
    const { accountId, clock } = service;
    const audit = { accountId, occurredAt: clock.now(), kind: 'member.invited' } as const;
    const token = randomBytes(32).toString('base64url');
    const invitation = {
      id: `inv_${email}`,
      accountId,
      email,
      role: 'member',
      expiresAt: clock.now() + 60_000,
    } as const;
    const hash = createHash('sha256').update(token).digest('hex');
    await service.service.context.metadata.members.invite(invitation, hash, audit);
    return token;
  }

  const roles = async () =>
    (await service.service.context.metadata.members.list(service.accountId)).map(({ email, role }) => [email, role]);

  test('gives the role of the groups, again at each sign-in, and none without', async () => {
    const token = await invited('bob@example.com');
    expect(await signIn('bob', token)).toBe('access_denied');
    expect(await roles()).toEqual([]);
    // Nor an account of their own, though sign-up is allowed.
    expect(await signIn('bob')).toBe('access_denied');
    claims['bob'] = { groups: ['audit'] };
    expect(await signIn('bob', token)).toBe('signed in');
    expect(await roles()).toEqual([['bob@example.com', 'auditor']]);
    claims['bob'] = { groups: ['backup-admins', 'staff'] };
    expect(await signIn('bob')).toBe('signed in');
    expect(await roles()).toEqual([['bob@example.com', 'admin']]);
    claims['bob'] = { groups: ['elsewhere'] };
    expect(await signIn('bob')).toBe('access_denied');
    const entries = await service.service.context.metadata.audit.list(service.accountId, {
      kinds: ['member.role_changed'],
      limit: 9,
    });
    expect(entries.map(({ userId, details }) => [userId, details!['role']])).toEqual([
      [undefined, 'admin'],
      [undefined, 'auditor'],
    ]);
  });

  test('leaves owners what they are', async () => {
    claims['bob'] = { groups: ['staff'] };
    await signIn('bob', await invited('bob@example.com'));
    const { members } = service.service.context.metadata;
    const [{ id } = { id: '' }] = await members.list(service.accountId);
    const audit = { accountId: service.accountId, occurredAt: 0, kind: 'member.role_changed' } as const;
    await members.changeRole(service.accountId, id, 'owner', audit);
    for (const groups of [['staff'], []]) {
      claims['bob'] = { groups };
      expect(await signIn('bob')).toBe('signed in');
      expect(await roles()).toEqual([['bob@example.com', 'owner']]);
    }
  });

  test('never takes the role of somebody who becomes an owner meanwhile', async () => {
    claims['bob'] = { groups: ['staff'] };
    claims['aldo'] = { groups: ['staff'] };
    await signIn('aldo', await invited('aldo@example.com'));
    const { members } = service.service.context.metadata;
    const [{ id: aldo } = { id: '' }] = await members.list(service.accountId);
    const audit = { accountId: service.accountId, occurredAt: 0, kind: 'member.role_changed' } as const;
    await members.changeRole(service.accountId, aldo, 'owner', audit);
    await signIn('bob', await invited('bob@example.com'));
    const { id = '' } = (await members.list(service.accountId)).find(({ email }) => email === 'bob@example.com') ?? {};
    const { userByIdentity } = members;
    vi.spyOn(members, 'userByIdentity').mockImplementation(async (identity) => {
      const user = await userByIdentity(identity);
      await members.changeRole(service.accountId, id, 'owner', audit);
      return user;
    });
    claims['bob'] = { groups: ['backup-admins'] };
    expect(await signIn('bob')).toBe('signed in');
    expect((await roles()).map(([, role]) => role)).toEqual(['owner', 'owner']);
  });
});
