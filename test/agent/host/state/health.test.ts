import type { Failure } from '../../../../src/base/failure.ts';
import { describe, expect, test } from 'vitest';
import { healthOf, type HealthFacts, type SetFacts } from '../../../../src/agent/host/state/health.ts';
import type { Decision, Health, LastRun, Need } from '../../../../src/ipc/state.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const run = (outcome: LastRun['outcome'], code?: Failure['code']): LastRun => ({
  id: 7,
  kind: 'backup',
  outcome,
  startedAt: NOW - HOUR - 60_000,
  endedAt: NOW - HOUR,
  warnings: outcome === 'warnings' ? 3 : 0,
  ...(code === undefined ? {} : { failure: { code, details: {} } as Failure }),
});

const next: Decision = { kind: 'next', at: NOW + HOUR };
const waitsFor = (kind: 'metered' | 'paused'): Decision => ({
  kind: 'waiting',
  since: NOW - 60_000,
  reason: { kind },
});
const waitsForDisk: Decision = {
  kind: 'waiting',
  since: NOW - 60_000,
  reason: { kind: 'destination', location: '/media/disk' },
};

const good: SetFacts = {
  name: 'Documents',
  decision: next,
  isBackingUp: false,
  lastBackup: run('succeeded'),
  lastGoodAt: NOW - HOUR,
  newWarnings: 0,
  damageFoundBy: undefined,
};
const failed = { ...good, lastBackup: run('failed', 'service_unreachable'), lastGoodAt: NOW - DAY };
const never = { ...good, lastBackup: undefined, lastGoodAt: undefined };
const old = { ...good, lastGoodAt: NOW - 3 * DAY - HOUR };
const warned = { ...good, lastBackup: run('warnings'), newWarnings: 2 };
const missed = { ...good, lastBackup: run('failed', 'destination_missing'), lastGoodAt: NOW - DAY };
const signedOut = { ...good, lastBackup: run('failed', 'signed_out'), lastGoodAt: NOW - DAY };

const calm: HealthFacts = {
  now: NOW,
  sets: [good],
  isRunning: false,
  isPaused: false,
  noBackupDays: 3,
  isPhraseConfirmed: true,
  missingLocation: undefined,
  alarms: [],
};
const alarm = { at: NOW - HOUR, reasons: ['mass_rewrite'] } as const;

interface Case {
  readonly name: string;
  readonly facts: Partial<HealthFacts>;
  readonly health: Health;
  readonly needs?: readonly Need['kind'][];
  readonly since?: number;
}

const cases: readonly Case[] = [
  { name: 'no problems', facts: {}, health: 'protected', since: NOW - HOUR },
  {
    name: 'a ransomware alarm takes precedence',
    facts: { sets: [never], alarms: [{ ...alarm, reasons: [...alarm.reasons], set: 'Documents', run: 7 }] },
    health: 'at-risk',
    needs: ['suspicious-run', 'first-backup'],
  },
  {
    name: 'a ransomware alarm of another computer',
    facts: { alarms: [{ ...alarm, reasons: [] }] },
    health: 'attention',
    needs: ['suspicious-run'],
  },
  {
    name: 'two sets, since the newest backup',
    facts: { sets: [{ ...good, lastGoodAt: NOW - DAY }, good] },
    health: 'protected',
    since: NOW - HOUR,
  },
  { name: 'no set', facts: { sets: [] }, health: 'at-risk', needs: ['no-set'] },
  { name: 'never backed up', facts: { sets: [never] }, health: 'at-risk', needs: ['first-backup'] },
  {
    name: 'never backed up and the attempt failed, one need with the reason',
    facts: { sets: [{ ...failed, lastGoodAt: undefined }] },
    health: 'at-risk',
    needs: ['failed'],
  },
  {
    name: 'one set never backed up, and the backup of another failed',
    facts: {
      sets: [
        { ...failed, lastGoodAt: undefined },
        { ...never, name: 'Photos' },
      ],
    },
    health: 'at-risk',
    needs: ['first-backup', 'failed'],
  },
  {
    name: 'the first backup is running',
    facts: { sets: [{ ...never, isBackingUp: true }], isRunning: true },
    health: 'running',
  },
  {
    name: 'one set never backed up while another is being backed up',
    facts: { sets: [{ ...good, isBackingUp: true }, never], isRunning: true },
    health: 'at-risk',
    needs: ['first-backup'],
  },
  { name: 'too long without a backup', facts: { sets: [old] }, health: 'at-risk', needs: ['no-backup-for'] },
  {
    name: 'not yet too long without a backup',
    facts: { sets: [{ ...old, lastGoodAt: NOW - 3 * DAY + 1 }] },
    health: 'protected',
  },
  { name: 'long without a backup, but the limit is off', facts: { sets: [old], noBackupDays: 0 }, health: 'protected' },
  {
    name: 'too long without a backup, and one is running',
    facts: { sets: [{ ...old, isBackingUp: true }], isRunning: true },
    health: 'running',
  },
  { name: 'the clock was set back', facts: { sets: [{ ...good, lastGoodAt: NOW + DAY }] }, health: 'protected' },
  {
    name: 'the last backup failed',
    facts: { sets: [failed] },
    health: 'attention',
    needs: ['failed'],
    since: NOW - HOUR,
  },
  {
    name: 'the last backup failed, and another is running',
    facts: { sets: [{ ...failed, isBackingUp: true }], isRunning: true },
    health: 'running',
  },
  {
    name: 'one set failed while another is running',
    facts: { sets: [failed, { ...good, isBackingUp: true }], isRunning: true },
    health: 'attention',
    needs: ['failed'],
  },
  {
    name: 'a person stopped the backup',
    facts: { sets: [{ ...good, lastBackup: run('cancelled') }] },
    health: 'protected',
  },
  {
    name: 'the backup was interrupted',
    facts: { sets: [{ ...good, lastBackup: run('interrupted') }] },
    health: 'protected',
  },
  { name: 'new warnings', facts: { sets: [warned] }, health: 'attention', needs: ['warnings'] },
  { name: 'old warnings', facts: { sets: [{ ...warned, newWarnings: 0 }] }, health: 'protected' },
  {
    name: 'a wrong clock, with backups by the service’s clock',
    facts: { clockAheadMs: 2 * HOUR },
    health: 'protected',
    needs: ['clock-wrong'],
    since: NOW - HOUR,
  },
  {
    name: 'a wrong clock that prevents backups',
    facts: { sets: [{ ...good, lastBackup: run('failed', 'clock_wrong'), lastGoodAt: NOW - DAY }, good] },
    health: 'attention',
    needs: ['clock-wrong'],
  },
  {
    name: 'signed out',
    facts: { sets: [signedOut, signedOut] },
    health: 'attention',
    needs: ['signed-out'],
  },
  {
    name: 'damage was found',
    facts: { sets: [{ ...good, damageFoundBy: 9 }] },
    health: 'at-risk',
    needs: ['verification-failed'],
  },
  {
    name: 'damage was found, and a backup is running',
    facts: { sets: [{ ...good, damageFoundBy: 9, isBackingUp: true }], isRunning: true },
    health: 'at-risk',
    needs: ['verification-failed'],
  },
  {
    name: 'a check found damage of the destination',
    facts: { sets: [good], destinationDamage: 7 },
    health: 'at-risk',
    needs: ['destination-damaged'],
  },
  { name: 'the disk is missing between backups', facts: { missingLocation: '/media/disk' }, health: 'protected' },
  {
    name: 'the disk is missing, and a backup waits for it',
    facts: { sets: [{ ...good, decision: waitsForDisk }], missingLocation: '/media/disk' },
    health: 'waiting',
    needs: ['destination-missing'],
    since: NOW - 60_000,
  },
  {
    name: 'a backup failed because the disk is missing',
    facts: { sets: [missed], missingLocation: '/media/disk' },
    health: 'attention',
    needs: ['destination-missing'],
  },
  {
    name: 'the disk is back after a backup failed without it',
    facts: { sets: [missed] },
    health: 'attention',
    needs: ['failed'],
  },
  {
    name: 'the disk is missing for too long',
    facts: { sets: [{ ...old, decision: waitsForDisk }], missingLocation: '/media/disk' },
    health: 'at-risk',
    needs: ['no-backup-for', 'destination-missing'],
  },
  {
    name: 'the phrase is unconfirmed and there are backups',
    facts: { isPhraseConfirmed: false },
    health: 'attention',
    needs: ['phrase-unconfirmed'],
  },
  {
    name: 'the phrase is unconfirmed while the first backup is running',
    facts: { sets: [{ ...never, isBackingUp: true }], isRunning: true, isPhraseConfirmed: false },
    health: 'attention',
    needs: ['phrase-unconfirmed'],
  },
  { name: 'a restore is running', facts: { isRunning: true }, health: 'running' },
  {
    name: 'a backup waits for another network',
    facts: { sets: [{ ...good, decision: waitsFor('metered') }] },
    health: 'waiting',
    since: NOW - 60_000,
  },
  { name: 'runs are paused', facts: { isPaused: true }, health: 'paused' },
  {
    name: 'a scheduled time has passed while runs are paused',
    facts: { sets: [{ ...good, decision: waitsFor('paused') }], isPaused: true },
    health: 'paused',
  },
  {
    name: 'runs are paused, and a person has started one',
    facts: { isPaused: true, isRunning: true, sets: [{ ...good, isBackingUp: true }] },
    health: 'running',
  },
  {
    name: 'runs are paused, and the last backup is too old',
    facts: { sets: [old], isPaused: true },
    health: 'at-risk',
    needs: ['no-backup-for'],
  },
];

describe('health', () => {
  test.each(cases)('$name: $health', ({ facts, health, needs = [], since }) => {
    const verdict = healthOf({ ...calm, ...facts });
    expect(verdict.health).toBe(health);
    expect(verdict.needs.map(({ kind }) => kind)).toEqual(needs);
    if (since !== undefined) expect(verdict.since).toBe(since);
  });

  test('counts full days', () => {
    expect(healthOf({ ...calm, sets: [old] }).needs).toEqual([{ kind: 'no-backup-for', set: 'Documents', days: 3 }]);
  });

  test('names the run with new warnings, and their number', () => {
    expect(healthOf({ ...calm, sets: [warned] }).needs).toEqual([
      { kind: 'warnings', set: 'Documents', run: 7, count: 2 },
    ]);
  });
});
