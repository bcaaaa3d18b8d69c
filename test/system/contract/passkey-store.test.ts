import { expect, test } from 'vitest';
import { createMemberStore } from '../../../src/service/auth/member-store.ts';
import { createPasskeyStore, type Passkey } from '../../../src/service/auth/factors/passkey-store.ts';
import type { SqlDatabase } from '../../../src/service/database/sql-database.ts';
import { describeOnEveryDatabase } from './databases.ts';

const NOW = 1_000;

async function situation(database: SqlDatabase) {
  const members = createMemberStore(database);
  const anna = (await members.createAccount({ email: 'anna@example.org', passwordHash: '', now: NOW }))!;
  const store = createPasskeyStore(database);
  const audit = { accountId: anna.accountId, userId: anna.id, occurredAt: NOW, kind: 'passkey.added' } as const;
  const passkey = (id: string, more: Partial<Passkey> = {}): Passkey => ({
    id,
    userId: anna.id,
    friendlyName: `name of ${id}`,
    publicKey: Buffer.from([1, 2, 255]),
    counter: 0,
    transports: ['usb', 'nfc'],
    createdAt: NOW,
    lastUsedAt: undefined,
    ...more,
  });
  return { store, members, anna, audit, passkey };
}

describeOnEveryDatabase('passkeys', (open) => {
  test('are returned as they were added, each once', async () => {
    const { store, anna, audit, passkey } = await situation(await open());
    expect(await store.add(passkey('b'), audit)).toBe('added');
    expect(await store.add(passkey('a', { createdAt: NOW + 1 }), audit)).toBe('added');
    expect(await store.add(passkey('a'), audit)).toBe('known');
    expect(await store.list(anna.id)).toEqual([passkey('b'), passkey('a', { createdAt: NOW + 1 })]);
    expect(await store.remove('usr_x', 'a', audit)).toBe(false);
    expect(await store.remove(anna.id, 'a', audit)).toBe(true);
    expect((await store.list(anna.id)).map(({ id }) => id)).toEqual(['b']);
  });

  test('count their uses forwards only, and zero only after zero', async () => {
    const { store, anna, audit, passkey } = await situation(await open());
    await store.add(passkey('a'), audit);
    expect([await store.use('a', 0, 5), await store.use('a', 0, 6)]).toEqual([true, true]);
    expect(await Promise.all([store.use('a', 3, 7), store.use('a', 3, 7)])).toContain(false);
    expect([await store.use('a', 3, 8), await store.use('a', 2, 8), await store.use('a', 0, 8)]).toEqual([
      false,
      false,
      false,
    ]);
    expect(await store.use('a', 4, 9)).toBe(true);
    expect(await store.list(anna.id)).toMatchObject([{ counter: 4, lastUsedAt: 9 }]);
    expect(await store.use('x', 1, 9)).toBe(false);
  });

  test('take each challenge once, and the newest of a subject', async () => {
    const { store, anna } = await situation(await open());
    const ask = (subject: string, challenge: string, expiresAt = NOW + 10) =>
      store.ask({ subject, userId: anna.id, challenge, friendlyName: undefined, expiresAt });
    await ask('s', 'first');
    await ask('s', 'second');
    const [one, other] = await Promise.all([store.take('s', NOW), store.take('s', NOW)]);
    expect([one, other].flatMap((taken) => taken?.challenge ?? [])).toEqual(['second']);
    await ask('s', 'late');
    expect(await store.take('s', NOW + 10)).toBeUndefined();
    expect(await store.take('s', NOW)).toBeUndefined();
    await ask('old', 'x', NOW);
    await ask('new', 'y');
    await store.prune(NOW);
    expect([await store.take('old', 0), (await store.take('new', 0))?.challenge]).toEqual([undefined, 'y']);
  });

  test('go with their person', async () => {
    const { store, members, anna, audit, passkey } = await situation(await open());
    const invitation = {
      id: 'inv',
      accountId: anna.accountId,
      email: 'mia@example.org',
      role: 'owner',
      expiresAt: NOW + 9,
    };
    await members.invite({ ...invitation, role: 'owner' }, 'token', { ...audit, kind: 'member.invited' });
    const mia = (await members.accept('inv', { email: 'mia@example.org', passwordHash: '', now: NOW }))!;
    await store.add(passkey('a', { userId: mia.id }), audit);
    await store.ask({ subject: 's', userId: mia.id, challenge: 'c', friendlyName: 'x', expiresAt: NOW + 9 });
    expect(await members.remove(anna.accountId, mia.id, { ...audit, kind: 'member.removed' })).toBe('removed');
    expect([await store.list(mia.id), await store.take('s', NOW)]).toEqual([[], undefined]);
  });
});
