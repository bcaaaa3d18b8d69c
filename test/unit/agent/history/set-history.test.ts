import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SetHistories } from '../../../../src/agent/history/set-history.ts';
import { Catalog } from '../../../../src/catalog/catalog.ts';
import type { JobRequest, VerifyExtent } from '../../../../src/jobs/job-request.ts';
import type { JobState } from '../../../../src/jobs/job-state.ts';
import type { RunKind } from '../../../../src/model/run.ts';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 10, 21);

let folder: string;
let catalog: Catalog;
let histories: SetHistories;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-set-history-'));
  catalog = new Catalog(join(folder, 'catalog.sqlite'));
  histories = new SetHistories();
});
afterEach(() => {
  catalog.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A job that starts at the given hour, with its report. */
function job(
  hour: number,
  state: JobState,
  report: object = {},
  kind: RunKind = 'backup',
  set = 'set',
  request?: JobRequest,
): number {
  const { journal } = catalog;
  const id = journal.queue({ kind, backupSet: set, destination: 'sole', request }, START + hour * HOUR);
  journal.transition(id, kind === 'backup' ? 'scanning' : 'planning', START + hour * HOUR);
  if (state === 'cancelled') journal.transition(id, 'cancelling', START + hour * HOUR);
  journal.transition(id, state, START + hour * HOUR + 1000, { report });
  return id;
}

const warned = (...paths: readonly string[]): object => ({
  warnings: paths.map((path) => ({ path, reason: 'unreadable' })),
});
const history = () => histories.of(catalog.at('sole'), 'device', 'set');

describe('the history of a set', () => {
  test('is empty before the first backup', () => {
    expect(history()).toEqual({
      lastBackup: undefined,
      lastGoodAt: undefined,
      lastPoint: undefined,
      isResumable: false,
      newWarnings: [],
      hasCommandFailed: false,
      absentFolders: [],
      damageFoundBy: undefined,
      lastVerify: undefined,
      wasBegunHere: false,
      wasByPerson: false,
    });
  });

  test('has the newest backup and the newest complete one', () => {
    job(0, 'succeeded');
    const failed = job(1, 'failed', { error: 'destination_full', details: { directory: '/media' } });
    expect(history()).toMatchObject({
      lastBackup: {
        id: failed,
        outcome: 'failed',
        failure: { code: 'destination_full', details: { directory: '/media' } },
      },
      lastGoodAt: START + 1000,
      isResumable: false,
    });
  });

  test.each(['interrupted', 'cancelled'] as const)('reports that a run that was %s continues', (state) => {
    job(0, 'succeeded');
    job(1, state, { error: 'interrupted' });
    expect(history()).toMatchObject({ isResumable: true, lastBackup: { outcome: state } });
    expect(history().lastBackup?.failure).toBeUndefined();
  });

  test('uses the restore points of an adopted home when it has no runs', () => {
    const time = new Date(START).toISOString();
    catalog
      .at('sole')
      .history.recordRestorePoint('device', 'set', { restore_point: time, backup_id: 'b', files: 3, bytes: 4 }, 'hash');
    expect(history()).toMatchObject({ lastGoodAt: START, lastPoint: { at: START, files: 3, bytes: 4 } });
  });

  test('says when the newest restore point was made, also after a clock that was ahead', () => {
    const [time, made] = [new Date(START + 86_400_000).toISOString(), new Date(START).toISOString()];
    const point = { restore_point: time, completed_at: made, backup_id: 'b', files: 3, bytes: 4 };
    catalog.at('sole').history.recordRestorePoint('device', 'set', point, 'hash');
    expect(history()).toMatchObject({ lastPoint: { at: START } });
  });

  test('counts warnings as new for a day', () => {
    job(0, 'succeeded-with-warnings', warned('/a', '/b'));
    expect(history().newWarnings).toHaveLength(2);
    job(1, 'succeeded-with-warnings', warned('/a', '/b'));
    expect(history().newWarnings).toHaveLength(2);
    job(25, 'succeeded-with-warnings', warned('/a', '/b', '/c'));
    expect(history().newWarnings).toHaveLength(1);
    job(26, 'succeeded');
    expect(history().newWarnings).toHaveLength(0);
  });

  /** A verification of the restore point of a day. */
  function verified(
    hour: number,
    failuresTotal: number,
    { samplePercent = 100, beside, day = 1 }: Partial<VerifyExtent> & { readonly day?: number } = {},
  ): number {
    const restorePoint = new Date(START + day * 24 * HOUR).toISOString();
    const request = { set: 'set', device: 'device', at: 'latest', samplePercent, beside } as const;
    const state = failuresTotal > 0 ? 'failed' : 'succeeded';
    return job(hour, state, { failuresTotal, failures: [], restorePoint }, 'verify', 'set', request);
  }

  test('reports damage found by a verification until one that reads as much finds none', () => {
    const found = verified(0, 2);
    expect(history().damageFoundBy).toBe(found);
    // A verification that failed or was cancelled has not found the backup intact.
    job(1, 'cancelled', { error: 'interrupted' }, 'verify');
    expect(history().damageFoundBy).toBe(found);
    verified(2, 0);
    expect(history().damageFoundBy).toBeUndefined();
  });

  test.each([
    ['a sample of it', {}, { samplePercent: 99 }, true],
    ['another restore point', {}, { day: 2 }, true],
    ['a sample of two restore points', { day: 2 }, { samplePercent: 10, beside: 'another' }, true],
    ['all restore points', { day: 2 }, { beside: 'all' }, false],
    ['a smaller sample', { samplePercent: 10, beside: 'another' }, { samplePercent: 9, beside: 'another' }, true],
    [
      'a sample like it',
      { samplePercent: 10, beside: 'another' },
      { samplePercent: 10, beside: 'another', day: 2 },
      false,
    ],
    ['the newest restore point alone', { beside: 'all' }, {}, true],
    ['every restore point again', { beside: 'all' }, { beside: 'all', day: 2 }, false],
  ] as const)('after a verification that found damage, one of %s without any', (_name, first, second, isReported) => {
    const found = verified(0, 1, first);
    verified(1, 0, second);
    expect(history().damageFoundBy).toBe(isReported ? found : undefined);
  });

  test('reports damage of one restore point although another has been found sound since', () => {
    const older = verified(0, 1, { day: 1 });
    const newer = verified(1, 1, { day: 2 });
    expect(history().damageFoundBy).toBe(newer);
    verified(2, 0, { day: 2 });
    expect(history().damageFoundBy).toBe(older);
    verified(3, 0, { day: 1 });
    expect(history().damageFoundBy).toBeUndefined();
  });

  test('reports no damage that a verification found before a repair', () => {
    verified(0, 1);
    job(1, 'failed', { error: 'destination_missing' }, 'repair', '');
    expect(history().damageFoundBy).toBeDefined();
    job(2, 'succeeded-with-warnings', {}, 'repair', '');
    expect(history().damageFoundBy).toBeUndefined();
    expect(verified(3, 1)).toBe(history().damageFoundBy);
  });

  test('does not report damage when a verification could not run', () => {
    job(0, 'failed', { error: 'service_unreachable' }, 'verify');
    expect(history().damageFoundBy).toBeUndefined();
  });
});

describe('damage of the destination', () => {
  const damage = () => histories.damageFoundBy(catalog.at('sole'));
  const check = (hour: number, state: JobState, report: object, kind: RunKind = 'check'): number =>
    job(hour, state, report, kind, '');
  const SOUND = { findingsTotal: 0, lossesTotal: 0, isProjectionSound: true };

  test('leaves files that restore points lack, until a check finds none', () => {
    const losses = () => histories.lossesFoundBy(catalog.at('sole'), 'device');
    const loss = (set: string, device = 'device') => ({ set, device, time: 0, entries: 1 });
    expect(losses()).toBeUndefined();
    // What a repair mends is damage.
    check(0, 'failed', {
      ...SOUND,
      findings: [{}],
      findingsTotal: 1,
      losses: [loss('Documents')],
      lossesTotal: 1,
      lostFiles: 1,
    });
    expect(losses()).toBeUndefined();
    const after = {
      ...SOUND,
      findings: [],
      losses: [loss('Documents'), loss('Documents'), loss('Old', 'other')],
      lostFiles: 3,
    };
    const repair = check(1, 'succeeded-with-warnings', { after }, 'repair');
    expect(losses()).toMatchObject({ run: repair, files: 3, sets: ['Documents'] });
    const again = check(2, 'failed', { ...after, lossesTotal: 3 });
    expect(losses()).toMatchObject({ run: again, files: 3 });
    check(3, 'succeeded', { ...SOUND, findings: [], losses: [], lostFiles: 0 });
    expect(losses()).toBeUndefined();
    // A repair gives up restore points whose lists are gone, and nothing that is left lacks a file.
    const whole = { ...SOUND, findings: [], losses: [], lostFiles: 0 };
    const lostPoints = [{ device: 'device', set: 'Photos', time: '2026-01-01T00:00:00.000Z' }];
    const gave = check(4, 'succeeded-with-warnings', { after: whole, lostPoints }, 'repair');
    expect(losses()).toMatchObject({ run: gave, files: 0, points: 1, sets: ['Photos'] });
    check(5, 'succeeded', whole);
    expect(losses()).toMatchObject({ run: gave, points: 1 });
  });

  test('counts from the check that found it until a repair or a sound check', () => {
    expect(damage()).toBeUndefined();
    const found = check(0, 'failed', { ...SOUND, findingsTotal: 1 });
    expect(damage()).toBe(found);
    expect(histories.damageFoundBy(catalog.at('other'))).toBeUndefined();
    check(1, 'cancelled', { error: 'interrupted' });
    check(2, 'failed', { error: 'device_cloned' }, 'repair');
    expect(damage()).toBe(found);
    check(3, 'succeeded-with-warnings', { after: SOUND }, 'repair');
    expect(damage()).toBeUndefined();
    const wrongList = check(4, 'failed', { ...SOUND, isProjectionSound: false });
    expect(damage()).toBe(wrongList);
    check(5, 'succeeded', SOUND);
    expect(damage()).toBeUndefined();
  });

  test('is nothing that a repair mends when only files are lost, or when the check could not run', () => {
    check(0, 'failed', { ...SOUND, lossesTotal: 3 });
    expect(damage()).toBeUndefined();
    check(1, 'failed', { error: 'service_unreachable' });
    expect(damage()).toBeUndefined();
  });
});
