import { describe, expect, test } from 'vitest';
import { listedRunOf, runReportOf } from '../../../../src/agent/history/finished-runs.ts';
import type { DestinationCopy } from '../../../../src/agent/operations/copy-destination.ts';
import type { JobRecord } from '../../../../src/jobs/job-record.ts';
import { listedRun } from '../../../../src/ipc/contract/activity.ts';
import { runReport } from '../../../../src/ipc/contract/restore/restore.ts';

const REPORT: DestinationCopy = {
  from: 'disk',
  to: 'nas',
  pointsCopied: 7,
  pointsMended: 0,
  pointsSkipped: [
    { set: 'documents', restorePoint: '2026-11-01T10:00:00.000Z', reason: 'present' },
    { set: 'documents', restorePoint: '2026-11-02T10:00:00.000Z', reason: 'older' },
    { set: 'photos', restorePoint: '2026-11-03T10:00:00.000Z', reason: 'no-tree' },
  ],
  chunksCopied: 30,
  bytesCopied: 5_000,
  failures: [
    {
      set: 'documents',
      restorePoint: '2026-11-04T10:00:00.000Z',
      path: '/home/anna/lost',
      chunk: 'sha256:ab',
      reason: 'chunk_missing',
    },
    {
      set: 'photos',
      restorePoint: '2026-11-05T10:00:00.000Z',
      path: undefined,
      chunk: undefined,
      reason: 'tree_invalid',
    },
  ],
};

const JOB: JobRecord = {
  id: 3,
  kind: 'copy',
  backupSet: '',
  destination: 'nas-id',
  state: 'failed',
  startedAt: 1_000,
  endedAt: 4_000,
  report: JSON.stringify(REPORT),
  trigger: null,
  request: null,
};

describe('a copy in the list of runs', () => {
  test('is listed with what was left out as warnings', () => {
    const listed = listedRunOf(JOB);
    expect(listedRun.parse(listed)).toEqual(listed);
    expect(listed).toMatchObject({ kind: 'copy', destination: 'nas-id', outcome: 'failed', warnings: 2 });
  });

  test('names the restore points that were not copied', () => {
    const report = runReportOf(JOB)!;
    expect(runReport.parse(report)).toEqual(report);
    expect(report).toEqual({
      files: 7,
      bytes: 5_000,
      bytesTransferred: 5_000,
      warnings: [
        { path: 'documents, 2026-11-02T10:00:00.000Z', reason: 'copy-older' },
        { path: 'photos, 2026-11-03T10:00:00.000Z', reason: 'copy-no-tree' },
      ],
      failures: [
        { path: 'documents, 2026-11-04T10:00:00.000Z: /home/anna/lost', reason: 'chunk_missing' },
        { path: 'photos, 2026-11-05T10:00:00.000Z', reason: 'tree_invalid' },
      ],
      failuresTotal: 2,
      filesFailed: 2,
      seconds: 3,
    });
  });

  test('shows the error of one that could not begin', () => {
    const error = { error: 'destination_missing', message: '', details: { directory: '/media/nas' } };
    const report = runReportOf({ ...JOB, report: JSON.stringify(error) });
    expect(report).toMatchObject({ failure: { code: 'destination_missing' }, failuresTotal: 0 });
  });
});

describe('what the rules of a set have left out', () => {
  const shown = (leftOut: object[]) =>
    runReportOf({ ...JOB, kind: 'backup', report: JSON.stringify({ filesProcessed: 1, bytesScanned: 4, leftOut }) })!;

  test('is shown as one figure, which is the least if a rule has not counted everything', () => {
    const rules = [
      { rule: 'preset:linux: ~/.cache/', files: 3, bytes: 10 },
      { rule: '*.iso', files: 1, bytes: 700 },
    ];
    expect(shown(rules).leftOut).toEqual({ files: 4, bytes: 710 });
    expect(shown([...rules, { rule: '*.vmdk', files: 0, bytes: 0, isAtLeast: true }]).leftOut).toEqual({
      files: 4,
      bytes: 710,
      isAtLeast: true,
    });
    expect(runReport.parse(shown(rules))).toEqual(shown(rules));
    for (const none of [[], [{ rule: 'empty/', files: 0, bytes: 0 }]])
      expect(shown(none)).not.toHaveProperty('leftOut');
  });
});

test('notes of a backup are shown, and those of a restore are of another kind', () => {
  const notes = [{ path: '/srv/main', reason: 'database-postgresql', detail: 'x' }];
  const shown = (kind: 'backup' | 'restore', found: unknown[]) =>
    runReportOf({ ...JOB, kind, report: JSON.stringify({ filesProcessed: 1, notes: found }) })!;
  expect(shown('backup', notes).notes).toEqual([{ path: '/srv/main', reason: 'database-postgresql' }]);
  expect(runReport.parse(shown('backup', notes))).toEqual(shown('backup', notes));
  expect(shown('backup', [])).not.toHaveProperty('notes');
  expect(shown('restore', ['other-system'])).not.toHaveProperty('notes');
});
