import { beforeEach, expect, test } from 'vitest';
import type { NewAuditEntry } from '../../../src/service/audit/audit-store.ts';
import { type DeviceStore, createDeviceStore } from '../../../src/service/devices/device-store.ts';
import { createAccountStore } from '../../../src/service/auth/account-store.ts';
import { auditedDatabase } from '../../../src/service/audit/audited-database.ts';
import { createPlanStore } from '../../../src/service/billing/plan-store.ts';
import type { SqlDatabase } from '../../../src/service/database/sql-database.ts';
import { type TokenStore, createTokenStore } from '../../../src/service/auth/tokens/token-store.ts';
import { createWebhookStore } from '../../../src/service/webhooks/webhook-store.ts';
import { describeOnEveryDatabase } from './databases.ts';
import { deviceOf, digest, EVENT, HOUR, NOW } from './metadata-store.ts';

const CLIENT = { userAgent: 'curl', address: '192.0.2.1' };

describeOnEveryDatabase('audit entries', (open) => {
  let database: SqlDatabase;
  let tokens: TokenStore;
  let devices: DeviceStore;
  let account: { readonly id: string; readonly number: number; readonly storageUsed: number };
  let userId: string;
  beforeEach(async () => {
    database = await open();
    tokens = createTokenStore(database);
    devices = createDeviceStore(database);
    const accounts = createAccountStore(database);
    const user = await accounts.createOwner({ email: 'a@b.c', passwordHash: '', totpSecret: '', now: NOW });
    userId = user!.id;
    account = (await accounts.findAccount(user!.accountId))!;
  });

  const entry = (kind: NewAuditEntry['kind']): NewAuditEntry => ({ accountId: account.id, kind, occurredAt: NOW });
  /** An entry that cannot be recorded, as on a full disk. */
  const impossible = (kind: NewAuditEntry['kind']): NewAuditEntry => ({ ...entry(kind), kind: null as never });
  const kinds = async () => {
    const rows = await database.queries
      .selectFrom('audit_entry')
      .select('kind')
      .where('kind', '!=', 'account.created')
      .orderBy('id')
      .execute();
    return rows.map((row) => row.kind);
  };
  const refresh = (name: string) => ({ hash: digest(name), expiresAt: NOW + HOUR });

  test('are recorded with a sign-in, its end and a device', async () => {
    const signIn = { client: CLIENT, audit: entry('sign_in.succeeded') };
    await tokens.startFamily({ id: 'fam_1', userId }, refresh('a'), NOW, signIn);
    const rotate = (now: number) =>
      tokens.rotate({ hash: digest('a'), successor: refresh(`${now}`), now, grace: 0 }, (user, accountId) => ({
        ...entry('session.reuse_detected'),
        userId: user,
        accountId,
      }));
    expect([(await rotate(NOW)).kind, (await rotate(NOW + 1)).kind]).toEqual(['renewed', 'reused']);
    const registration = { by: userId, audit: entry('device.registered') };
    await devices.register(deviceOf(account, 'dev_1'), NOW, EVENT, registration);
    const revoke = () => devices.revoke('dev_1', NOW, entry('device.revoked'));
    expect([await revoke(), await revoke()]).toEqual([true, false]);
    const expected = ['sign_in.succeeded', 'session.reuse_detected', 'device.registered', 'device.revoked'];
    expect(await kinds()).toEqual(expected);
  });

  test('roll the change back if they cannot be recorded', async () => {
    const signIn = { client: CLIENT, audit: impossible('sign_in.succeeded') };
    await expect(tokens.startFamily({ id: 'fam_1', userId }, refresh('a'), NOW, signIn)).rejects.toThrow(/null/i);
    expect(await tokens.familyIsLive('fam_1')).toBe(false);
    await tokens.startFamily({ id: 'fam_2', userId }, refresh('b'), NOW);
    await tokens.rotate({ hash: digest('b'), successor: refresh('c'), now: NOW, grace: 0 });
    const again = { hash: digest('b'), successor: refresh('d'), now: NOW + 1, grace: 0 };
    const reused = tokens.rotate(again, () => impossible('session.reuse_detected'));
    await expect(reused).rejects.toThrow(/null/i);
    expect(await tokens.familyIsLive('fam_2')).toBe(true);
    const registration = { by: userId, audit: impossible('device.registered') };
    await expect(devices.register(deviceOf(account, 'dev_1'), NOW, EVENT, registration)).rejects.toThrow(/null/i);
    expect(await devices.find('dev_1')).toBeUndefined();
    await devices.register(deviceOf(account, 'dev_1'), NOW, EVENT);
    await expect(devices.revoke('dev_1', NOW, impossible('device.revoked'))).rejects.toThrow(/null/i);
    expect((await devices.find('dev_1'))?.revokedAt).toBeUndefined();
    expect(await kinds()).toEqual([]);
  });

  test('are recorded with any change of a store, but not if nothing changed', async () => {
    const plans = (audit: NewAuditEntry) => createPlanStore(auditedDatabase(database, audit));
    await plans(entry('plan.changed')).set(account.id, { name: 'team', limit: 5 }, NOW);
    const lost = plans(impossible('plan.changed')).set(account.id, { name: 'large', limit: undefined }, NOW);
    await expect(lost).rejects.toThrow(/null/i);
    expect(await createPlanStore(database).find(account.id)).toMatchObject({ name: 'team', limit: 5 });
    const webhooks = createWebhookStore(auditedDatabase(database, entry('webhook.removed')));
    expect(await webhooks.remove(account.id, 'whk_none')).toBe(false);
    expect(await kinds()).toEqual(['plan.changed']);
  });
});
