import { describe, expect, test } from 'vitest';
import { combinedHistory } from '../../../../src/agent/history/combined-history.ts';
import { outcomeOfRun, runsOf } from '../../../../src/agent/history/run-jobs.ts';
import type { SetHistory } from '../../../../src/agent/history/set-history.ts';
import type { LastRun, Outcome } from '../../../../src/model/run.ts';

const NEVER: SetHistory = {
  lastBackup: undefined,
  lastGoodAt: undefined,
  lastPoint: undefined,
  isResumable: false,
  newWarnings: [],
  hasCommandFailed: false,
  absentFolders: [],
  damageFoundBy: undefined,
  lastVerify: undefined,
  lastDrill: undefined,
  wasBegunHere: false,
  wasByPerson: false,
};

const FAILURE = { code: 'service_unreachable', details: { address: 'https://backup.example.org' } } as const;

function backup(id: number, outcome: Outcome, startedAt: number, endedAt: number): LastRun {
  const failure = outcome === 'failed' ? { failure: FAILURE } : {};
  return { id, kind: 'backup', outcome, startedAt, endedAt, warnings: outcome === 'warnings' ? 2 : 0, ...failure };
}

const withBackup = (lastBackup: LastRun): SetHistory => ({ ...NEVER, lastBackup });
const after = (...runs: readonly LastRun[]) => combinedHistory(runs.map(withBackup));

describe('the history of a set at several destinations', () => {
  test('is that of the only one', () => {
    const failed = backup(3, 'failed', 10, 20);
    expect(after(failed).lastBackup).toBe(failed);
    expect(combinedHistory([NEVER, NEVER])).toEqual({
      lastBackup: undefined,
      lastPoint: undefined,
      isResumable: false,
    });
  });

  test('has one run for the jobs that began together', () => {
    expect(after(backup(8, 'failed', 101, 900), backup(7, 'succeeded', 100, 300)).lastBackup).toEqual({
      id: 7,
      kind: 'backup',
      outcome: 'warnings',
      startedAt: 100,
      endedAt: 900,
      warnings: 0,
      failure: FAILURE,
    });
    expect(after(backup(7, 'warnings', 100, 300), backup(8, 'succeeded', 100, 100)).lastBackup).toMatchObject({
      outcome: 'warnings',
      warnings: 2,
    });
  });

  test('has the newest run only', () => {
    const newest = backup(9, 'succeeded', 500, 600);
    expect(after(backup(7, 'failed', 100, 300), newest).lastBackup).toBe(newest);
  });

  test('has the newest restore point of all, and can be resumed if one can', () => {
    const point = (at: number) => ({ ...NEVER, lastPoint: { at, files: at, bytes: at } });
    const { lastPoint, isResumable } = combinedHistory([point(1), point(3), { ...point(2), isResumable: true }]);
    expect(lastPoint?.at).toBe(3);
    expect(isResumable).toBe(true);
  });
});

describe('the outcome of a run', () => {
  test.each<[readonly Outcome[], Outcome]>([
    [['succeeded', 'succeeded'], 'succeeded'],
    [['succeeded', 'warnings'], 'warnings'],
    [['failed', 'succeeded'], 'warnings'],
    [['failed', 'interrupted'], 'failed'],
    [['succeeded', 'interrupted'], 'succeeded'],
    [['cancelled', 'interrupted'], 'cancelled'],
    [['interrupted'], 'interrupted'],
  ])('of %j is %s', (outcomes, outcome) => {
    expect(outcomeOfRun(outcomes)).toBe(outcome);
  });
});

describe('the jobs of a run', () => {
  const job = (destination: string, startedAt: number, endedAt: number | null, backupSet = 'a') => ({
    backupSet,
    destination,
    startedAt,
    endedAt,
  });
  const sizes = (...jobs: readonly ReturnType<typeof job>[]): number[] => runsOf(jobs).map((run) => run.length);

  test('overlap', () => {
    expect(sizes(job('x', 0, 10), job('y', 1, 50), job('z', 2, 3))).toEqual([3]);
    expect(sizes(job('x', 0, 10), job('y', 11, 12))).toEqual([1, 1]);
    expect(sizes(job('y', 1, 2), job('x', 0, null))).toEqual([2]);
    // One that fails at once ends when the other begins.
    expect(sizes(job('x', 5, 5), job('y', 5, 9))).toEqual([2]);
  });

  test('are of one set, and of different destinations', () => {
    expect(sizes(job('x', 0, 10), job('y', 0, 10, 'b'))).toEqual([1, 1]);
    expect(sizes(job('x', 0, 10), job('x', 10, 12), job('y', 10, 12))).toEqual([1, 2]);
  });
});
