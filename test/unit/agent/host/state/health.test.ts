import type { Failure } from '../../../../../src/base/errors/failure.ts';
import { describe, expect, test } from 'vitest';
import type { DestinationFacts, HealthFacts, SetFacts } from '../../../../../src/agent/host/state/health-facts.ts';
import { healthOf } from '../../../../../src/agent/host/state/health.ts';
import type { Health } from '../../../../../src/ipc/state.ts';
import type { Need } from '../../../../../src/model/need.ts';
import type { Decision } from '../../../../../src/model/schedule/decision.ts';
import type { LastRun } from '../../../../../src/model/run.ts';

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
  newWarnings: [],
  absentFolders: [],
  damageFoundBy: undefined,
};
const failed = { ...good, lastBackup: run('failed', 'service_unreachable'), lastGoodAt: NOW - DAY };
const never = { ...good, lastBackup: undefined, lastGoodAt: undefined };
const old = { ...good, lastGoodAt: NOW - 3 * DAY - HOUR };
const warned = { ...good, lastBackup: run('warnings'), newWarnings: ['unreadable /a', 'unreadable /b'] };
const missed = { ...good, lastBackup: run('failed', 'destination_missing'), lastGoodAt: NOW - DAY };
const signedOut = { ...good, lastBackup: run('failed', 'signed_out'), lastGoodAt: NOW - DAY };

const calm: Omit<HealthFacts, 'destinations'> = {
  now: NOW,
  isRunning: false,
  isPaused: false,
  noBackupDays: 3,
  isPhraseConfirmed: true,
  alarms: [],
};
const alarm = { at: NOW - HOUR, reasons: ['mass_rewrite'] } as const;

/** The facts of a home with one destination. */
interface CaseFacts extends Partial<Omit<HealthFacts, 'destinations'>> {
  readonly sets?: readonly SetFacts[];
  readonly missingLocation?: string;
  readonly isLost?: boolean;
  readonly destinationDamage?: number;
  readonly losses?: DestinationFacts['losses'];
}

function factsOf({
  sets = [good],
  missingLocation,
  isLost,
  destinationDamage: damageFoundBy,
  losses,
  ...others
}: CaseFacts): HealthFacts {
  return {
    ...calm,
    ...others,
    destinations: [{ place: undefined, missingLocation, isLost, damageFoundBy, losses, sets }],
  };
}

interface Case {
  readonly name: string;
  readonly facts: CaseFacts;
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
  {
    name: 'files that earlier restore points lack, until the next backup',
    facts: { losses: { run: 4, at: NOW - HOUR / 2, files: 3, points: 0, sets: ['Documents'] } },
    health: 'attention',
    needs: ['content-missing'],
  },
  {
    name: 'files that earlier restore points lacked, after a backup',
    facts: { losses: { run: 4, at: NOW - 2 * HOUR, files: 3, points: 0, sets: ['Documents'] } },
    health: 'protected',
    since: NOW - HOUR,
  },
  {
    name: 'files that restore points of another computer lack',
    facts: { losses: { run: 4, at: NOW - HOUR / 2, files: 3, points: 0, sets: [] } },
    health: 'protected',
    since: NOW - HOUR,
  },
  { name: 'no set', facts: { sets: [], restorableSets: 0 }, health: 'at-risk', needs: ['no-set'] },
  {
    name: 'no set, and others to restore',
    facts: { sets: [], restorableSets: 2 },
    health: 'attention',
    needs: ['no-set'],
  },
  { name: 'no set, and others are not known', facts: { sets: [] }, health: 'attention', needs: ['no-set'] },
  {
    name: 'no set, while others are restored',
    facts: { sets: [], restorableSets: 2, isRunning: true },
    health: 'running',
    needs: ['no-set'],
  },
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
  {
    name: 'a folder that the last backup did without',
    facts: {
      sets: [{ ...warned, newWarnings: [], absentFolders: [{ folder: '/home/anna/Music', problem: 'missing' }] }],
    },
    health: 'attention',
    needs: ['folder-missing'],
  },
  { name: 'old warnings', facts: { sets: [{ ...warned, newWarnings: [] }] }, health: 'protected' },
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
    name: 'the backups are missing on the disk of the files, which nobody has unplugged',
    facts: { missingLocation: '/home/anna/Holdfast', isLost: true },
    health: 'attention',
    needs: ['destination-missing'],
  },
  {
    name: 'a backup waits for backups that are missing on the disk of the files',
    facts: {
      sets: [{ ...good, decision: waitsForDisk }],
      missingLocation: '/home/anna/Holdfast',
      isLost: true,
    },
    health: 'attention',
    needs: ['destination-missing'],
  },
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
    const verdict = healthOf(factsOf(facts));
    expect(verdict.health).toBe(health);
    expect(verdict.needs.map(({ kind }) => kind)).toEqual(needs);
    if (since !== undefined) expect(verdict.since).toBe(since);
  });

  test('counts full days', () => {
    expect(healthOf(factsOf({ sets: [old] })).needs).toEqual([{ kind: 'no-backup-for', set: 'Documents', days: 3 }]);
  });

  test('tells warnings that are not about files', () => {
    const general = { ...warned, newWarnings: ['index-made-anew /home/anna/holdfast/catalog.sqlite'] };
    const both = { ...warned, newWarnings: [...warned.newWarnings, 'clock-jumped Documents 2027'] };
    const need = { kind: 'warnings', set: 'Documents', run: 7 };
    expect(healthOf(factsOf({ sets: [general] })).needs).toEqual([{ ...need, count: 1, isGeneral: true }]);
    expect(healthOf(factsOf({ sets: [both] })).needs).toEqual([{ ...need, count: 3, isGeneral: true }]);
  });

  test('names the run with new warnings, and their number', () => {
    expect(healthOf(factsOf({ sets: [warned] })).needs).toEqual([
      { kind: 'warnings', set: 'Documents', run: 7, count: 2 },
    ]);
  });
});

const DISK = { id: '0a1b2c3d', name: 'Backup disk' };
const CLOUD = { id: '1b2c3d4e', name: 'Cloud' };
const NAS = { id: '2c3d4e5f', name: 'NAS' };

const at = (place: DestinationFacts['place'], sets: readonly SetFacts[], more: Partial<DestinationFacts> = {}) => ({
  place,
  missingLocation: undefined,
  damageFoundBy: undefined,
  sets,
  ...more,
});
const several = (destinations: readonly DestinationFacts[], more: Partial<HealthFacts> = {}) =>
  healthOf({ ...calm, ...more, destinations });

describe('the health of several destinations', () => {
  test('is good while all are', () => {
    const older = { ...good, lastGoodAt: NOW - DAY };
    expect(several([at(DISK, [older]), at(CLOUD, [good])])).toEqual({
      health: 'protected',
      needs: [],
      since: NOW - HOUR,
    });
  });

  test('needs attention for a failure at the second, which the need names', () => {
    const failure = { code: 'service_unreachable', details: {} };
    expect(several([at(DISK, [good]), at(CLOUD, [failed])])).toEqual({
      health: 'attention',
      since: NOW - HOUR,
      needs: [{ kind: 'failed', set: 'Documents', failure, at: NOW - HOUR, destination: CLOUD }],
    });
  });

  test('has a need for each of several failures, and one without a destination if all failed alike', () => {
    const full = { ...failed, lastBackup: run('failed', 'quota_exceeded') };
    const { needs } = several([at(DISK, [failed]), at(CLOUD, [full]), at(NAS, [good])]);
    expect(needs).toMatchObject([
      { kind: 'failed', destination: DISK, failure: { code: 'service_unreachable' } },
      { kind: 'failed', destination: CLOUD, failure: { code: 'quota_exceeded' } },
    ]);
    const source = { ...failed, lastBackup: run('failed', 'source_missing') };
    expect(several([at(DISK, [source]), at(CLOUD, [source])]).needs).toEqual([
      { kind: 'failed', set: 'Documents', failure: { code: 'source_missing', details: {} }, at: NOW - HOUR },
    ]);
    expect(several([at(DISK, [source]), at(CLOUD, [source]), at(NAS, [good])]).needs).toHaveLength(2);
    expect(several([at(DISK, [source]), at(CLOUD, [failed])]).needs).toHaveLength(2);
  });

  test('needs attention if one has no recent backup, and is at risk if none has', () => {
    const late = several([at(DISK, [good]), at(CLOUD, [old])]);
    expect(late).toMatchObject({
      health: 'attention',
      needs: [{ kind: 'no-backup-for', set: 'Documents', days: 3, destination: CLOUD }],
    });
    const older = { ...old, lastGoodAt: NOW - 9 * DAY };
    expect(several([at(DISK, [older]), at(CLOUD, [old])])).toEqual({
      health: 'at-risk',
      needs: [{ kind: 'no-backup-for', set: 'Documents', days: 3 }],
    });
    expect(several([at(DISK, [older]), at(CLOUD, [never])]).needs).toEqual([
      { kind: 'no-backup-for', set: 'Documents', days: 9 },
    ]);
    expect(several([at(DISK, [never]), at(CLOUD, [never])])).toEqual({
      health: 'at-risk',
      needs: [{ kind: 'first-backup', set: 'Documents' }],
    });
  });

  test('does not repeat as lateness what a failure explains', () => {
    const stuck = { ...failed, lastGoodAt: NOW - 5 * DAY };
    const { needs } = several([at(DISK, [good]), at(CLOUD, [stuck])]);
    expect(needs.map(({ kind }) => kind)).toEqual(['failed']);
  });

  test('stays good while the first backup to another destination will begin by itself', () => {
    const first = several([at(DISK, [good]), at(CLOUD, [never])]);
    expect(first).toMatchObject({
      health: 'protected',
      needs: [{ kind: 'first-backup', set: 'Documents', destination: CLOUD }],
    });
    const byHand = { ...never, decision: { kind: 'manual' } as const };
    expect(several([at(DISK, [good]), at(CLOUD, [byHand])]).health).toBe('attention');
    const held = { ...never, decision: waitsFor('metered') };
    expect(several([at(DISK, [good]), at(CLOUD, [held])]).health).toBe('attention');
    expect(several([at(DISK, [good]), at(CLOUD, [{ ...never, isBackingUp: true }])], { isRunning: true })).toEqual({
      health: 'running',
      needs: [],
    });
  });

  test('stays good while one of several disks is absent, until its backups are old', () => {
    const waits = { ...good, decision: waitsForDisk };
    const away = { missingLocation: '/media/disk' };
    const missing = { kind: 'destination-missing', location: '/media/disk', destination: DISK };
    expect(several([at(DISK, [waits], away), at(CLOUD, [good])])).toMatchObject({
      health: 'protected',
      needs: [missing],
    });
    const late = { ...old, decision: waitsForDisk };
    expect(several([at(DISK, [late], away), at(CLOUD, [good])])).toMatchObject({
      health: 'attention',
      needs: [missing, { kind: 'no-backup-for', days: 3, destination: DISK }],
    });
    const failedToo = { ...late, lastBackup: run('failed', 'destination_missing') };
    expect(several([at(DISK, [failedToo], away), at(CLOUD, [good])]).health).toBe('attention');
    expect(several([at(DISK, [waits], away), at(CLOUD, [waits], away)]).health).toBe('waiting');
    expect(several([at(DISK, [missed], away), at(CLOUD, [good])])).toMatchObject({
      health: 'attention',
      needs: [missing],
    });
  });

  test('names the destination of damage, of an ended sign-in, and of a failed check', () => {
    expect(several([at(DISK, [good]), at(CLOUD, [good], { damageFoundBy: 9 })])).toEqual({
      health: 'at-risk',
      needs: [{ kind: 'destination-damaged', run: 9, destination: CLOUD }],
    });
    expect(several([at(DISK, [good]), at(CLOUD, [good], { isDoubtful: true })])).toEqual({
      health: 'at-risk',
      needs: [{ kind: 'points-unlisted', destination: CLOUD }],
    });
    // A check has found what it is.
    expect(several([at(DISK, [good], { isDoubtful: true, damageFoundBy: 9 }), at(CLOUD, [good])])).toEqual({
      health: 'at-risk',
      needs: [{ kind: 'destination-damaged', run: 9, isDoubtful: true, destination: DISK }],
    });
    expect(several([at(DISK, [good]), at(CLOUD, [{ ...good, damageFoundBy: 8 }])])).toEqual({
      health: 'at-risk',
      needs: [{ kind: 'verification-failed', set: 'Documents', run: 8, destination: CLOUD }],
    });
    expect(several([at(DISK, [good]), at(CLOUD, [signedOut])])).toMatchObject({
      health: 'attention',
      needs: [{ kind: 'signed-out', destination: CLOUD }],
    });
  });

  test('has one need for warnings about files, and another for those about a destination', () => {
    const more = { ...warned, newWarnings: [...warned.newWarnings, 'destination-damaged /media/disk'] };
    const ofFiles = { kind: 'warnings', set: 'Documents', run: 7, count: 2 };
    expect(several([at(DISK, [warned]), at(CLOUD, [warned])]).needs).toEqual([ofFiles]);
    expect(several([at(DISK, [more]), at(CLOUD, [warned])]).needs).toEqual([
      ofFiles,
      { ...ofFiles, count: 1, isGeneral: true, destination: DISK },
    ]);
    expect(several([at(DISK, [warned]), at(CLOUD, [good])]).needs).toEqual([{ ...ofFiles, destination: DISK }]);
  });

  test('has no need for the warnings of a backup that failed', () => {
    const failure = { ...failed, newWarnings: ['unreadable /a'] };
    expect(several([at(DISK, [good]), at(CLOUD, [failure])]).needs.map(({ kind }) => kind)).toEqual(['failed']);
  });

  test('waits since the first of several waits began', () => {
    const earlier: Decision = { kind: 'waiting', since: NOW - HOUR, reason: { kind: 'metered' } };
    const waits = { ...good, decision: waitsFor('metered') };
    expect(several([at(DISK, [waits]), at(CLOUD, [{ ...good, decision: earlier }])])).toMatchObject({
      health: 'waiting',
      since: NOW - HOUR,
    });
  });

  test('needs attention for a restore that failed, not for one that goes on by itself', () => {
    const waits = { kind: 'restore-unfinished', set: 'Documents', to: '/restored' } as const;
    const stopped = {
      ...waits,
      failure: { code: 'target_unwritable', details: { target: '/', problem: 'gone' } },
    } as const;
    expect(several([at(DISK, [good]), at(CLOUD, [good])], { restores: [waits] })).toMatchObject({
      health: 'protected',
      needs: [waits],
    });
    expect(several([at(DISK, [good]), at(CLOUD, [good])], { restores: [stopped] }).health).toBe('attention');
  });

  test('needs attention once for the command after a backup, which is made', () => {
    const set = { ...warned, newWarnings: [], hasCommandFailed: true };
    expect(several([at(DISK, [set]), at(CLOUD, [set])])).toMatchObject({
      health: 'attention',
      needs: [{ kind: 'command-failed', set: 'Documents', run: 7 }],
    });
    const again = { ...set, isBackingUp: true };
    expect(several([at(DISK, [again]), at(CLOUD, [again])], { isRunning: true }).needs).toEqual([]);
  });

  test('is protected although the weekly report could not be sent, which is a need', () => {
    const report = {
      at: NOW - DAY,
      failure: { code: 'mail_failed', details: { server: 'mail.example.org' } },
    } as const;
    expect(several([at(DISK, [good]), at(CLOUD, [good])], { report })).toMatchObject({
      health: 'protected',
      needs: [{ kind: 'report-failed', ...report }],
    });
  });

  test('reports a set that failed there while another set is being backed up', () => {
    const photos = { ...good, name: 'Photos', isBackingUp: true };
    const verdict = several([at(DISK, [good, photos]), at(CLOUD, [failed, photos])], { isRunning: true });
    expect(verdict).toMatchObject({
      health: 'attention',
      needs: [{ kind: 'failed', set: 'Documents', destination: CLOUD }],
    });
    const retried = { ...failed, isBackingUp: true };
    expect(several([at(DISK, [good]), at(CLOUD, [retried])], { isRunning: true }).health).toBe('running');
  });
});
