import { describe, expect, test } from 'vitest';
import { chunk, file } from '../../../unit/service/harness.ts';
import { ADDRESS, DAY, MEMBER_ADDRESS, STORES } from './erasure-service.ts';
import { bytesOf, situation, WAIT } from './situation.ts';

describe.each(STORES)('an erasure with %s', (_, open) => {
  test('of a set removes its names and frees what only it needed', async () => {
    const { fixture, laptop, shared, deskOnly } = await situation(open);
    const asked = await fixture.request({ scope: 'set', device_id: laptop.id, backup_set: 'Planted-Set' });
    expect(asked).toMatchObject({ status: 200, body: { due_at: new Date(fixture.now() + WAIT).toISOString() } });
    expect(await fixture.occurrences(['Planted-Set'])).not.toEqual([]);
    await fixture.pass(WAIT - 1);
    expect((await fixture.manifest(laptop, 'Planted-Set', '/planted-path')).status).toBe(200);
    // Unreferenced chunks were searched for just now, and are not again for a week.
    await fixture.context.metadata.collection.collected(fixture.accountId, fixture.now());
    await fixture.pass(DAY + 1);
    expect(await fixture.occurrences(['Planted-Set', 'planted-path'])).toEqual([]);
    expect((await fixture.manifest(laptop, 'Planted-Set')).status).toBe(404);
    await fixture.collect();
    expect(await fixture.used()).toBe(bytesOf(shared, deskOnly));
    expect((await fixture.manifest(laptop, 'Other-Set')).body.files).toHaveLength(1);
    expect((await fixture.backUp(laptop, 'Planted-Set', [file('/new', ['new'])])).status).toBe(200);
  });

  test('of a member removes the person with the devices, names and addresses', async () => {
    const { fixture, mia, laptop, desk, deskOnly } = await situation(open);
    expect((await fixture.request({ scope: 'member', user_id: mia })).status).toBe(200);
    await fixture.pass(WAIT);
    const names = [
      'mia-planted',
      'Planted-Passkey',
      'planted-credential',
      'Planted-Laptop',
      'Planted-Earlier',
      'Planted-Set',
      'Other-Set',
      'planted-path',
      laptop.key,
      MEMBER_ADDRESS,
    ];
    expect(await fixture.occurrences(names)).toEqual([]);
    expect(await fixture.context.metadata.accounts.user(mia)).toBeUndefined();
    await fixture.collect();
    expect(await fixture.used()).toBe(bytesOf(deskOnly));
    expect((await fixture.manifest(desk, 'Desk-Set')).status).toBe(200);
    const [entry] = await fixture.context.metadata.audit.list(fixture.accountId, { limit: 1 });
    expect(entry).toMatchObject({ kind: 'erasure.done', details: { scope: 'member', member: mia } });
  });

  test('of an account leaves identifiers and the fact, and frees everything', async () => {
    const { fixture, laptop } = await situation(open);
    expect((await fixture.request({ scope: 'account' })).status).toBe(200);
    const invited = {
      id: 'inv_late',
      accountId: fixture.accountId,
      email: 'Late-planted@example.org',
      role: 'member',
    } as const;
    const { members, tokens } = fixture.context.metadata;
    const audit = { accountId: fixture.accountId, occurredAt: fixture.now(), kind: 'member.invited' } as const;
    await members.invite({ ...invited, expiresAt: fixture.now() + WAIT + DAY }, 'token', audit);
    for (const what of ['password', 'recover'])
      await tokens.fail(`${what}:late-planted@example.org`, fixture.now() + WAIT, () => 0);
    expect(await fixture.occurrences(['late-planted'])).toHaveLength(2);
    await fixture.pass(WAIT);
    const names = ['planted', 'Desk-Set', 'Other-Set', ADDRESS, 'example.org', laptop.key];
    expect(await fixture.occurrences(names)).toEqual([]);
    for (const table of ['user', 'device', 'session', 'file_version', 'webhook_delivery', 'token_family']) {
      expect([table, await fixture.rows(table)]).toEqual([table, 0]);
    }
    const entries = await fixture.context.metadata.audit.list(fixture.accountId, { limit: 10 });
    expect(entries).toMatchObject([{ kind: 'erasure.done', userId: undefined, address: undefined }]);
    await fixture.collect();
    expect(await fixture.used()).toBe(0);
    expect([await fixture.rows('chunk'), await fixture.rows('dropped_blob')]).toEqual([0, 0]);
  });
});

describe('a requested erasure', () => {
  test('rejects new backups of what it names until it is cancelled', async () => {
    const { fixture, laptop, desk } = await situation();
    const { body } = await fixture.request({ scope: 'device', device_id: laptop.id });
    expect(await fixture.init(laptop, 'Other-Set')).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
    expect((await fixture.init(desk, 'Desk-Set')).status).toBe(200);
    expect((await fixture.cancel(body.id as string)).status).toBe(200);
    expect((await fixture.init(laptop, 'Other-Set')).status).toBe(200);
    await fixture.pass(2 * WAIT);
    expect((await fixture.manifest(laptop, 'Planted-Set')).status).toBe(200);
    expect((await fixture.cancel(body.id as string)).status).toBe(404);
  });

  test.each(['set', 'member', 'account'] as const)('of a %s rejects its backups, too', async (scope) => {
    const { fixture, laptop, mia } = await situation();
    const of = { set: { device_id: laptop.id, backup_set: 'Planted-Set' }, member: { user_id: mia }, account: {} };
    await fixture.request({ scope, ...of[scope] });
    expect((await fixture.init(laptop, 'Planted-Set')).status).toBe(403);
    expect((await fixture.init(laptop, 'Other-Set')).status).toBe(scope === 'set' ? 200 : 403);
  });

  test('is listed with its names until it is performed, and then without', async () => {
    const { fixture, laptop } = await situation();
    await fixture.request({ scope: 'set', device_id: laptop.id, backup_set: 'Planted-Set' });
    expect((await fixture.list()).body.erasures).toMatchObject([
      { scope: 'set', device_name: 'Planted-Laptop', backup_set: 'Planted-Set', erased_at: null },
    ]);
    await fixture.pass(WAIT);
    expect((await fixture.list()).body.erasures).toMatchObject([
      { scope: 'set', device_name: null, backup_set: null, erased_at: new Date(fixture.now()).toISOString() },
    ]);
  });

  test('is not postponed by a request that is repeated', async () => {
    const { fixture, laptop } = await situation();
    const request = { scope: 'device', device_id: laptop.id };
    const { body } = await fixture.request(request);
    await fixture.pass(DAY);
    expect((await fixture.request(request)).status).toBe(409);
    expect((await fixture.list()).body.erasures).toMatchObject([{ id: body.id, due_at: body.due_at }]);
  });

  test('is not cancelled by a sign-in without a fresh code', async () => {
    const { fixture, laptop } = await situation();
    const { body } = await fixture.request({ scope: 'device', device_id: laptop.id });
    const token = await fixture.tokenOf(fixture.owner.id);
    fixture.service.clock.advance(11 * 60_000);
    const path = `/auth/v1/erasures/${body.id}`;
    expect(await fixture.service.call('DELETE', path, token)).toMatchObject({
      status: 403,
      body: { code: 'factor_required' },
    });
    expect((await fixture.list()).body.erasures).toHaveLength(1);
    expect((await fixture.cancel(body.id as string)).status).toBe(200);
  });

  test('cannot be requested twice', async () => {
    const { fixture, laptop } = await situation();
    const request = { scope: 'device', device_id: laptop.id };
    expect((await fixture.request(request)).status).toBe(200);
    expect((await fixture.request(request)).status).toBe(409);
  });

  test('waits for the longest minimum retention of the account', async () => {
    const { fixture, laptop, desk } = await situation();
    const { retention, sessions } = fixture.context.metadata;
    const set = await sessions.findSet(desk.id, 'Desk-Set');
    await retention.lengthen({ setNumber: set!.number }, 30);
    const { body } = await fixture.request({ scope: 'set', device_id: laptop.id, backup_set: 'Planted-Set' });
    expect(Date.parse(body.due_at as string)).toBe(fixture.now() + 30 * DAY + 1);
    await fixture.pass(29 * DAY);
    expect((await fixture.manifest(laptop, 'Planted-Set')).status).toBe(200);
    await fixture.pass(2 * DAY);
    expect((await fixture.manifest(laptop, 'Planted-Set')).status).toBe(404);
  });

  test.each(['set', 'account'] as const)('is not postponed by a later minimum retention of the %s', async (scope) => {
    const { fixture, mia, laptop } = await situation();
    const { retention, sessions, devices } = fixture.context.metadata;
    await retention.lengthen({ accountId: fixture.accountId }, 20);
    const { body } = await fixture.request({ scope: 'member', user_id: mia });
    const set = await sessions.findSet(laptop.id, 'Planted-Set');
    const target = scope === 'set' ? { setNumber: set!.number } : { accountId: fixture.accountId };
    await retention.lengthen(target, 3_650);
    await fixture.pass(Date.parse(body.due_at as string) - fixture.now() - 1);
    expect(await devices.find(laptop.id)).toBeDefined();
    await fixture.pass(1);
    expect(await devices.find(laptop.id)).toBeUndefined();
    expect((await fixture.list()).body.erasures).toMatchObject([{ due_at: body.due_at }]);
  });

  test('refuses the sessions that began before it, and is not postponed by them', async () => {
    const { fixture, laptop } = await situation();
    const { sessions, retention, devices } = fixture.context.metadata;
    await retention.lengthen({ accountId: fixture.accountId }, 30);
    const session = await fixture.begin(laptop, 'Planted-Set', [file('/late', [chunk(1_000)])]);
    const pack = (await fixture.packOf(laptop, session)).body.url as string;
    const { body } = await fixture.request({ scope: 'device', device_id: laptop.id });
    const refused = { status: 403, body: { code: 'permission_denied' } };
    expect(await fixture.complete(laptop, session)).toMatchObject(refused);
    expect(await fixture.progress(laptop, session)).toMatchObject(refused);
    expect(await fixture.packOf(laptop, session)).toMatchObject(refused);
    expect(await fixture.service.call('POST', pack.slice(pack.indexOf('/objects/')))).toMatchObject(refused);
    expect((await sessions.find(session))?.run).toBeUndefined();
    await fixture.pass(2 * DAY);
    await fixture.pass(Date.parse(body.due_at as string) - fixture.now());
    expect(await devices.find(laptop.id)).toBeUndefined();
  });

  test('lets a session go on once it is cancelled', async () => {
    const { fixture, laptop } = await situation();
    const session = await fixture.begin(laptop, 'Planted-Set', [file('/late', [chunk(1_000)])]);
    const { body } = await fixture.request({ scope: 'device', device_id: laptop.id });
    expect((await fixture.complete(laptop, session)).status).toBe(403);
    await fixture.cancel(body.id as string);
    expect((await fixture.progress(laptop, session)).status).toBe(200);
    expect((await fixture.complete(laptop, session)).status).toBe(200);
  });

  test('lets a completed session be completed again with the same result', async () => {
    const { fixture, laptop } = await situation();
    const session = await fixture.begin(laptop, 'Planted-Set', [file('/late', [chunk(1_000)])]);
    const completed = await fixture.complete(laptop, session);
    await fixture.request({ scope: 'device', device_id: laptop.id });
    expect(await fixture.complete(laptop, session)).toEqual(completed);
  });

  test('waits while the account is held after an alarm', async () => {
    const { fixture, laptop } = await situation();
    await fixture.request({ scope: 'device', device_id: laptop.id });
    const { retention, devices } = fixture.context.metadata;
    await retention.hold(fixture.accountId, fixture.now());
    await fixture.pass(2 * WAIT);
    expect(await devices.find(laptop.id)).toBeDefined();
    await retention.release(fixture.accountId);
    await fixture.pass(0);
    expect(await devices.find(laptop.id)).toBeUndefined();
  });

  test('waits a day, and no longer, for a restore in progress', async () => {
    const { fixture, laptop } = await situation();
    await fixture.request({ scope: 'device', device_id: laptop.id });
    const { devices } = fixture.context.metadata;
    await fixture.pass(WAIT - 3_600_000);
    await fixture.manifest(laptop, 'Planted-Set');
    await fixture.pass(3_600_000);
    expect(await devices.find(laptop.id)).toBeDefined();
    await fixture.pass(DAY - 7_200_000);
    await fixture.manifest(laptop, 'Planted-Set');
    await fixture.pass(3_600_000);
    expect(await devices.find(laptop.id)).toBeDefined();
    await fixture.pass(3_600_000);
    expect(await devices.find(laptop.id)).toBeUndefined();
  });

  test('ends a session that is open when it is due, and erases an hour later', async () => {
    const { fixture, laptop } = await situation();
    await fixture.request({ scope: 'device', device_id: laptop.id });
    const { erasures, sessions, devices } = fixture.context.metadata;
    const [pending] = await erasures.list(fixture.accountId);
    await fixture.cancel(pending!.id);
    await fixture.pass(WAIT);
    await fixture.begin(laptop, 'Other-Set', [file('/late', [chunk(1_000)])]);
    const due = { ...pending!, dueAt: fixture.now() };
    await erasures.request(due, { accountId: fixture.accountId, occurredAt: fixture.now(), kind: 'erasure.requested' });
    await fixture.pass(0);
    const set = await sessions.findSet(laptop.id, 'Other-Set');
    expect(await erasures.unfinished([set!.number])).toEqual([]);
    await fixture.pass(0);
    expect(await devices.find(laptop.id)).toBeDefined();
    await fixture.pass(3_600_000);
    expect(await devices.find(laptop.id)).toBeUndefined();
    await fixture.collect();
    expect(await fixture.occurrences(['Planted-Laptop', 'Other-Set'])).toEqual([]);
  });
});

describe('who may erase', () => {
  test('an admin erases sets, devices and members, but neither owners nor the account', async () => {
    const { fixture, mia, laptop } = await situation();
    const adam = await fixture.join('adam@example.org', 'admin');
    const second = await fixture.join('olga@example.org', 'owner');
    expect((await fixture.request({ scope: 'account' }, adam)).status).toBe(403);
    expect((await fixture.request({ scope: 'member', user_id: second }, adam)).status).toBe(403);
    expect((await fixture.request({ scope: 'member', user_id: mia }, adam)).status).toBe(200);
    expect((await fixture.request({ scope: 'device', device_id: laptop.id }, adam)).status).toBe(200);
    expect((await fixture.request({ scope: 'device', device_id: laptop.id }, mia)).status).toBe(403);
  });

  test('the last owner is erased with the account only', async () => {
    const { fixture } = await situation();
    const { owner } = fixture;
    expect((await fixture.request({ scope: 'member', user_id: owner.id })).status).toBe(409);
    const olga = await fixture.join('olga@example.org', 'owner');
    expect((await fixture.request({ scope: 'member', user_id: owner.id })).status).toBe(200);
    const { members, accounts } = fixture.context.metadata;
    await members.remove(fixture.accountId, olga, {
      accountId: fixture.accountId,
      occurredAt: 0,
      kind: 'member.removed',
    });
    await fixture.pass(WAIT);
    expect(await accounts.user(owner.id)).toBeDefined();
  });

  test('somebody who left before is erased with the devices that they registered', async () => {
    const { fixture, mia, laptop } = await situation();
    const { members, devices } = fixture.context.metadata;
    const { accountId } = fixture;
    await members.remove(accountId, mia, { accountId, occurredAt: fixture.now(), kind: 'member.removed' });
    expect((await fixture.request({ scope: 'member', user_id: 'usr_unknown' })).status).toBe(404);
    expect((await fixture.request({ scope: 'member', user_id: mia })).status).toBe(200);
    await fixture.pass(WAIT);
    expect(await devices.find(laptop.id)).toBeUndefined();
    expect(await fixture.occurrences(['Planted-Laptop', 'Planted-Set'])).toEqual([]);
  });
});

test('account data contains what the service knows, and no secret', async () => {
  const { fixture, laptop } = await situation();
  const token = await fixture.tokenOf(fixture.owner.id);
  const { status, body } = await fixture.service.call('GET', '/auth/v1/account_data', token);
  expect(status).toBe(200);
  const text = JSON.stringify(body);
  for (const part of ['mia-planted@example.org', 'Planted-Laptop', 'Planted-Set', 'device.renamed']) {
    expect(text).toContain(part);
  }
  for (const secret of [laptop.key, 'planted-secret', '"hash"']) expect(text).not.toContain(secret);
});

test('a service whose only account was erased can be set up again, by nobody of that account', async () => {
  const { fixture } = await situation();
  const { accounts } = fixture.context.metadata;
  await fixture.request({ scope: 'account' });
  expect(await accounts.hasAccount()).toBe(true);
  await fixture.pass(WAIT);
  expect(await accounts.hasAccount()).toBe(false);
  expect((await accounts.firstAccount())?.id).toBe(fixture.accountId);
});

describe('cancelling an erasure', () => {
  test('takes the right to request it', async () => {
    const { fixture, mia, laptop } = await situation();
    const admin = await fixture.join('adam@example.org', 'admin');
    const owner = await fixture.join('olga@example.org', 'owner');
    const bodies = [{ scope: 'account' }, { scope: 'member', user_id: owner }, { scope: 'member', user_id: admin }];
    for (const body of bodies) {
      const id = (await fixture.request(body)).body.id as string;
      expect(await fixture.cancel(id, admin)).toMatchObject({ status: 403, body: { code: 'permission_denied' } });
      expect((await fixture.cancel(id)).status).toBe(200);
    }
    for (const body of [
      { scope: 'member', user_id: mia },
      { scope: 'device', device_id: laptop.id },
    ]) {
      const id = (await fixture.request(body)).body.id as string;
      expect((await fixture.cancel(id, admin)).status).toBe(200);
    }
  });

  test('of oneself is possible when one requested it oneself', async () => {
    const { fixture } = await situation();
    const admin = await fixture.join('adam@example.org', 'admin');
    const id = (await fixture.request({ scope: 'member', user_id: admin }, admin)).body.id as string;
    expect((await fixture.cancel(id, admin)).status).toBe(200);
  });

  test('of an owner is possible for the one who is left', async () => {
    const { fixture } = await situation();
    const owner = await fixture.join('olga@example.org', 'owner');
    const id = (await fixture.request({ scope: 'member', user_id: fixture.owner.id })).body.id as string;
    const { members } = fixture.context.metadata;
    const audit = { accountId: fixture.accountId, occurredAt: fixture.now(), kind: 'member.removed' } as const;
    await members.remove(fixture.accountId, owner, audit);
    expect((await fixture.cancel(id)).status).toBe(200);
  });
});
