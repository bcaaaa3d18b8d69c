import { expect, test } from 'vitest';
import type { EmittedEvent } from '../../../src/protocol/webhooks.ts';
import { createAlarmStore } from '../../../src/service/alarms/alarm-store.ts';
import { describeOnEveryDatabase } from './databases.ts';
import { ACCOUNT, OTHER_ACCOUNT, WebhookFixture } from './webhook-fixture.ts';

const changes = { filesBefore: 1, versions: 2, ended: 3, bytes: 2 ** 40, newBytes: 5 };
const alarm = {
  accountId: ACCOUNT,
  sessionId: 'ses_1',
  deviceId: 'dev_1',
  setNumber: 1,
  setName: 'docs',
  reasons: ['mass_rewrite', 'known_names'],
  raisedAt: 100,
} as const;
const event: EmittedEvent = {
  event: 'security.ransomware_detected',
  data: {
    session_id: 'ses_1',
    device_id: 'dev_1',
    device_name: 'Laptop',
    backup_set: 'docs',
    detected_at: '2026-03-01T10:00:00.000Z',
    reasons: ['mass_rewrite', 'known_names'],
    files_before: 1,
    files_rewritten: 2,
    new_data_percent: 100,
    suspicious_names: 12,
    incompressible_files: null,
    damaged_files: null,
    replaced_files: null,
    intact_files: null,
  },
};

describeOnEveryDatabase('alarms', (open) => {
  test('keeps the changes of a run until they are pruned', async () => {
    const alarms = createAlarmStore(await open());
    await alarms.recordChanges('ses_1', { ...changes, versions: 1 }, 100);
    await alarms.recordChanges('ses_1', changes, 101);
    await alarms.recordChanges('ses_2', changes, 50);
    await alarms.pruneChanges(101);
    expect(await alarms.changesOf('ses_1')).toEqual(changes);
    expect(await alarms.changesOf('ses_2')).toBeUndefined();
  });

  test('raises one alarm for a run, with its event', async () => {
    const sql = await open();
    const fixture = await WebhookFixture.of(sql);
    await fixture.addEndpoint('a');
    const alarms = createAlarmStore(sql);
    expect(await alarms.isRaised('ses_1')).toBe(false);
    await Promise.all(Array.from({ length: 4 }, () => alarms.raise(alarm, event)));
    expect(await alarms.isRaised('ses_1')).toBe(true);
    expect(await fixture.emitted()).toEqual([event]);
    await alarms.raise({ ...alarm, sessionId: 'ses_2', raisedAt: 200 }, event);
    expect(await alarms.list(ACCOUNT, 10)).toMatchObject([{ sessionId: 'ses_2' }, alarm]);
    expect(await alarms.list(ACCOUNT, 1)).toHaveLength(1);
    expect(await alarms.list(OTHER_ACCOUNT, 10)).toEqual([]);
  });
});
