import { describe, expect, test } from 'vitest';
import { auditFacts } from '../../../src/portal/features/audit/audit-changes.ts';
import { auditActor, auditDetail } from '../../../src/portal/features/audit/audit-detail.ts';
import { policyText } from '../../../src/portal/shared/restore-points/policy-text.ts';
import { readProviderReturn } from '../../../src/portal/features/entrance/provider-return.ts';
import { readLimit, typedLimit } from '../../../src/portal/shared/typed-limit.ts';
import { languageOf } from '../../../src/portal/strings/language.ts';
import type { AuditEntry } from '../../../src/protocol/portal/audit.ts';
import { AUDIT_KINDS } from '../../../src/service/audit/audit-store.ts';

const ENGLISH = languageOf('en');
const NOTHING = { keep_all_days: 0, hourly: 0, daily: 0, weekly: 0, monthly: 0, yearly: 0, time_zone: 'UTC' };

test.each(['en', 'de'] as const)('names every kind of audit entry in %s', (code) => {
  const { kinds } = languageOf(code).strings.audit;
  expect(Object.keys(kinds).toSorted()).toEqual([...AUDIT_KINDS].toSorted());
});

test.each(['en', 'de'] as const)(
  'says in %s that whoever has the phrase reads the files of everybody in the account',
  (code) => {
    const { team, noFiles } = languageOf(code).strings;
    for (const text of [team.lead, team.removeBody, noFiles.body.join(' ')]) {
      expect(text).toMatch(code === 'en' ? /recovery phrase/ : /Wiederherstellungsphrase/);
    }
  },
);

describe('audit entries', () => {
  const names = new Map([
    ['usr_1', 'anna@example.org'],
    ['usr_2', 'ben@example.org'],
    ['dev_1', 'Laptop'],
  ]);
  const entry = (changes: Partial<AuditEntry>): AuditEntry => ({
    id: 'aud_1',
    occurred_at: '2026-03-01T10:00:00.000Z',
    kind: 'session.ended',
    user_id: 'usr_1',
    device_id: null,
    address: null,
    details: {},
    ...changes,
  });

  test.each([
    [{}, ''],
    [{ kind: 'member.role_changed', details: { member: 'usr_2', role: 'admin' } }, 'ben@example.org · Admin'],
    [{ kind: 'member.removed', details: { member: 'usr_9' } }, 'Somebody who left'],
    [{ kind: 'device.revoked', device_id: 'dev_1' }, 'Laptop'],
    [{ kind: 'device.renamed', device_id: 'dev_1', details: { name: 'Laptop' } }, 'Laptop'],
    [{ kind: 'plan.changed', details: { plan: 'Team' } }, 'Team · no limit'],
    [{ kind: 'plan.changed', details: { plan: 'Team', limit_bytes: '5000' } }, 'Team · limit 5\u00a0kB'],
    [{ kind: 'payment.failed', details: { reason: 'x', amount: '19.90', currency: 'EUR' } }, 'x · 19.90 EUR'],
    [
      { kind: 'retention.locked', device_id: 'dev_1', details: { backup_set: 'docs', minimum_days: '30' } },
      'docs · Laptop · 30 days',
    ],
  ])('describes %j as "%s"', (changes, text) => {
    expect(auditDetail(entry(changes), names, ENGLISH)).toBe(text);
  });

  test.each([
    [{ kind: 'device.renamed', details: { name: 'B', previous_name: 'A' } }, [['Name', 'A', 'B']]],
    [
      { kind: 'member.role_changed', details: { member: 'usr_2', role: 'admin', previous_role: 'member' } },
      [['Role', 'Member', 'Admin']],
    ],
    [
      { kind: 'member.quota_changed', details: { member: 'usr_2', previous_limit_bytes: '5000' } },
      [['Limit', '5\u00a0kB', 'no limit']],
    ],
    [
      { kind: 'plan.changed', details: { plan: 'Team', limit_bytes: '5000' } },
      [
        ['Plan', '–', 'Team'],
        ['Limit', 'no limit', '5\u00a0kB'],
      ],
    ],
    [
      { kind: 'webhook.changed', details: { url: 'https://a', previous_url: 'https://b', previous_events: 'x, y' } },
      [
        ['Webhook', 'https://b', 'https://a'],
        ['Events', 'x, y', 'all events'],
      ],
    ],
    [
      { kind: 'retention.changed', device_id: 'dev_1', details: { backup_set: 'docs', daily: '7' } },
      [
        [
          'What is kept',
          'Every restore point is kept.',
          'Kept: the first and the last of 7 days. The rest is removed once a day.',
        ],
      ],
    ],
    [{ kind: 'member.removed', details: { member: 'usr_2' } }, []],
  ])('says what %j changed', (changes, expected) => {
    const facts = auditFacts(entry(changes), names, ENGLISH);
    const changed = facts.filter(({ before }) => before !== undefined);
    expect(changed.map(({ label, before, value }) => [label, before, value])).toEqual(expected);
    expect(facts.at(-1)).toMatchObject({ label: 'Kind', value: changes.kind });
    // Everything else of it is shown, too.
    const shown = facts.map(({ value }) => value).join(' ');
    if ('backup_set' in changes.details) expect(shown).toContain('docs');
    if ('member' in changes.details) expect(shown).toContain('ben@example.org (usr_2)');
  });

  test.each([
    [{}, 'anna@example.org'],
    [{ user_id: 'usr_9' }, 'Somebody who left'],
    [{ user_id: null }, 'The service or its operator'],
    [{ user_id: null, kind: 'device.revoked', device_id: 'dev_1' }, 'The service or its operator'],
  ])('attributes %j to "%s"', (changes, text) => {
    expect(auditActor(entry(changes), names, ENGLISH)).toBe(text);
  });
});

test.each([
  [null, 'Every restore point is kept.'],
  [{ ...NOTHING, daily: 7 }, 'Kept: the first and the last of 7 days. The rest is removed once a day.'],
  [
    { ...NOTHING, keep_all_days: 1, hourly: 24, daily: 7, weekly: 1 },
    'Kept: all of the last 1 day, the first and the last of 24 hours, 7 days, and 1 week. The rest is removed once a day.',
  ],
])('describes the policy %j as "%s"', (policy, text) => {
  expect(policyText(policy, ENGLISH)).toBe(text);
});

test.each([
  ['', { kind: 'none' }],
  ['500', { kind: 'limit', bytes: 500_000_000_000 }],
  [' 1,5 ', { kind: 'limit', bytes: 1_500_000_000 }],
  ['0', { kind: 'wrong' }],
  ['-1', { kind: 'wrong' }],
  ['1e3', { kind: 'wrong' }],
  ['many', { kind: 'wrong' }],
])('reads the limit "%s" as %j', (text, limit) => {
  expect(readLimit(text)).toEqual(limit);
});

test.each([1, 536_870_912_000, 1_500_000_000])('keeps a limit of %d bytes when it is shown and read again', (bytes) => {
  expect(readLimit(typedLimit(bytes))).toEqual({ kind: 'limit', bytes });
});

test.each([
  ['', 'v', { kind: 'none' }],
  ['code=c', 'v', { kind: 'code', code: 'c', verifier: 'v' }],
  ['code=c', null, { kind: 'stale' }],
  ['error=access_denied', 'v', { kind: 'refused' }],
])('reads the query "%s" with the verifier %s as %j', (query, verifier, expected) => {
  expect(readProviderReturn(new URLSearchParams(query), verifier)).toEqual(expected);
});
