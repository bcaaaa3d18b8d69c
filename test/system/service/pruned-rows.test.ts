import { sql } from 'kysely';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { openStores } from '../../../src/service/open-stores.ts';
import { openPostgresDatabase } from '../../../src/service/database/postgres/postgres-database.ts';
import type { SqlDatabase } from '../../../src/service/database/sql-database.ts';
import type { Tables } from '../../../src/service/database/tables.ts';
import { postgresDatabase } from '../../helpers/postgres/postgres.ts';
import { chunk, file, temporaryDirectory, TestClock, TestService } from '../../unit/service/harness.ts';

const DAY = 24 * 3_600_000;

/** A service, and its database beside it. */
async function open(dialect: 'sqlite' | 'postgres') {
  const folder = await temporaryDirectory();
  const url = dialect === 'postgres' ? await postgresDatabase() : undefined;
  const stores = await openStores(folder, { create: true, database: url });
  const service = await TestService.over(stores, folder, new TestClock());
  const database: SqlDatabase = url === undefined ? service.openDatabase() : await openPostgresDatabase(url);
  const count = async (table: keyof Tables): Promise<number> => {
    const found = await database.queries
      .selectFrom(table)
      .select(sql<number>`count(*)`.as('count'))
      .executeTakeFirstOrThrow();
    return found.count;
  };
  return { service, stores, count, close: () => (url === undefined ? undefined : database.close()) };
}

describe.each(['sqlite', 'postgres'] as const)('housekeeping with %s', (dialect) => {
  test('deletes sign-ins that can be renewed no more, and keeps the others', async () => {
    const { service, stores, count, close } = await open(dialect);
    const { metadata } = stores;
    const { now } = service.clock;
    const owner = { email: 'a@example.org', passwordHash: '', totpSecret: 'A', now: now() };
    const user = (await metadata.accounts.createOwner(owner))!;
    const start = (id: string, days: number) =>
      metadata.tokens.startFamily(
        { id, userId: user.id },
        { hash: Buffer.from(id), expiresAt: now() + days * DAY },
        now(),
      );
    for (const [id, days] of [
      ['fam_old', 60],
      ['fam_new', 120],
    ] as const) {
      await start(id, days);
      await metadata.signIns.used(id, { userAgent: '', address: '' }, now());
    }
    service.clock.advance(61 * DAY);
    service.service.keepHouse();
    await service.service.tidy();
    expect([await count('token_family'), await count('sign_in'), await count('refresh_token')]).toEqual([1, 1, 1]);
    expect(await metadata.tokens.familyIsLive('fam_new')).toBe(true);
    await close();
  });

  test('deletes invitations that have expired, and keeps the others', async () => {
    const { service, stores, count, close } = await open(dialect);
    const { members, accounts } = stores.metadata;
    const now = service.clock.now();
    const accountId = (await accounts.firstAccount())!.id;
    for (const [id, days] of [
      ['inv_old', 1],
      ['inv_new', 3],
    ] as const) {
      const invitation = {
        id,
        accountId,
        email: `${id}@example.org`,
        role: 'member',
        expiresAt: now + days * DAY,
      } as const;
      await members.invite(invitation, id, { accountId, occurredAt: now, kind: 'member.invited' });
    }
    service.clock.advance(2 * DAY);
    service.service.keepHouse();
    await service.service.tidy();
    expect(await count('invitation')).toBe(1);
    expect(await members.invitationByToken('inv_new', service.clock.now())).toBeDefined();
    await close();
  });

  test('deletes failed sessions after 90 days, also those that another one continued', async () => {
    const { service, stores, count, close } = await open(dialect);
    const device = await service.register();
    const files = [file('/a', [chunk('a')])];
    await service.backUp(device, 'docs', files);
    const opened = await service.openSession(device, 'photos');
    const init = await service.init(device, 'photos', [file('/b', [chunk('b')])], {
      session_id: opened.body.session_id,
    });
    expect(init.status).toBe(200);
    const alone = await service.init(device, 'videos', [file('/c', [chunk('c')])]);
    for (const { body } of [init, alone]) {
      await service.post('/functions/v1/backup/abort', device.token, { session_id: body.session_id });
    }
    const all = await count('session');
    expect(all).toBe(4);
    // What they have uploaded is deleted first.
    await stores.metadata.sessions.prune(service.clock.now() + DAY);
    expect(await count('session')).toBe(all);
    service.service.keepHouse();
    await service.service.tidy();
    expect(await count('session')).toBe(all);
    service.clock.advance(89 * DAY);
    await service.service.tidy();
    expect(await count('session')).toBe(all);
    service.clock.advance(2 * DAY);
    await service.service.tidy();
    expect(await count('session')).toBe(1);
    const token = await service.tokenOf(device.id);
    expect((await service.manifest({ ...device, token }, 'docs')).status).toBe(200);
    await close();
  });
});

test('a step of housekeeping that fails is named, and keeps no other from running', async () => {
  const folder = await temporaryDirectory();
  const stores = await openStores(folder, { create: true });
  const { metadata } = stores;
  let pruned = 0;
  const broken = {
    ...metadata,
    tokens: { ...metadata.tokens, prune: () => Promise.reject(new Error('no such table: spent')) },
    audit: { ...metadata.audit, prune: async () => void (pruned += 1) },
  };
  const lines: string[] = [];
  const log = pino({ level: 'error' }, { write: (line: string) => void lines.push(line) });
  const service = await TestService.over({ ...stores, metadata: broken }, folder, new TestClock(), log);
  service.service.keepHouse();
  await service.service.tidy();
  expect(pruned).toBeGreaterThan(0);
  expect(lines.map((line) => JSON.parse(line) as object)).toContainEqual(
    expect.objectContaining({
      step: 'sign_ins',
      failure: expect.objectContaining({ message: 'no such table: spent' }),
      msg: 'a step of housekeeping failed',
    }),
  );
});
