import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Catalog } from '../../../src/catalog/catalog.ts';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import { ACTIVE_STATES, canTransition, isFinal, PENDING_STATES, type JobState } from '../../../src/jobs/job-state.ts';
import { restoreRequestOf } from '../../../src/jobs/job-request.ts';
import { RecordedJob } from '../../../src/jobs/recorded-job.ts';

const STATES: readonly JobState[] = [
  'queued',
  'waiting',
  'blocked',
  'withdrawn',
  'scanning',
  'uploading',
  'committing',
  'planning',
  'downloading',
  'finishing',
  'succeeded',
  'succeeded-with-warnings',
  'failed',
  'cancelling',
  'cancelled',
  'interrupted',
];

describe('job states', () => {
  test('can all be reached from queued, and final ones lead nowhere', () => {
    const reached = new Set<JobState>(['queued']);
    for (const from of reached) for (const to of STATES) if (canTransition(from, to)) reached.add(to);
    expect([...reached].sort()).toEqual([...STATES].sort());
    expect(STATES.filter(isFinal)).toEqual([
      'withdrawn',
      'succeeded',
      'succeeded-with-warnings',
      'failed',
      'cancelled',
      'interrupted',
    ]);
  });

  test('can be interrupted when a process works on the job, and withdrawn before', () => {
    const others = STATES.filter((state) => !isFinal(state) && !PENDING_STATES.includes(state));
    expect(others).toEqual(ACTIVE_STATES.toSorted((a, b) => STATES.indexOf(a) - STATES.indexOf(b)));
    expect(others.filter((state) => !canTransition(state, 'interrupted'))).toEqual([]);
    expect(PENDING_STATES.filter((state) => !canTransition(state, 'withdrawn'))).toEqual([]);
    expect(STATES.filter((state) => canTransition('interrupted', state))).toEqual([]);
  });

  test('never go from cancelling to a success', () => {
    expect(STATES.filter((state) => canTransition('cancelling', state))).toEqual([
      'failed',
      'cancelled',
      'interrupted',
    ]);
  });
});

describe('the journal', () => {
  let folder: string;
  let catalog: Catalog;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-journal-'));
    catalog = new Catalog(join(folder, 'catalog.sqlite'));
  });
  afterEach(() => {
    catalog.close();
    rmSync(folder, { recursive: true, force: true });
  });

  let now = 1000;
  const clock = { now: () => (now += 1), sleep: () => Promise.resolve() };

  test('has a row for every transition and the end', async () => {
    const job = new RecordedJob(catalog.journal, clock, { kind: 'backup', backupSet: 'set', destination: 'sole' });
    await job.record(() => {
      job.transition('uploading');
      job.transition('uploading');
      job.transition('committing');
      return Promise.resolve({ report: { files: 1 }, warnings: 0 });
    });
    const [record] = catalog.journal.recent('set', 1);
    expect(record).toMatchObject({ state: 'succeeded', report: '{"files":1}' });
    expect(record!.endedAt).toBeGreaterThan(record!.startedAt);
    const steps = catalog.journal.transitions(record!.id).map((step) => step.state);
    expect(steps).toEqual(['queued', 'scanning', 'uploading', 'committing', 'succeeded']);
  });

  test('distinguishes warnings, failures and interruptions', async () => {
    const record = async (work: () => Promise<{ report: unknown; warnings: number }>): Promise<string> => {
      await new RecordedJob(catalog.journal, clock, { kind: 'backup', backupSet: 'set', destination: 'sole' })
        .record(work)
        .catch(() => undefined);
      return catalog.journal.recent('set', 1)[0]!.state;
    };
    expect(await record(() => Promise.resolve({ report: {}, warnings: 2 }))).toBe('succeeded-with-warnings');
    expect(await record(() => Promise.reject(new HoldfastError('interrupted')))).toBe('interrupted');
    expect(
      await record(() =>
        Promise.reject(new HoldfastError('service_unreachable', { address: 'https://backup.example.org' })),
      ),
    ).toBe('failed');
  });

  test('ends as usual when the progress cannot be recorded', async () => {
    const { journal } = catalog;
    journal.recordProgress = () => {
      throw new Error('disk full');
    };
    const job = new RecordedJob(journal, clock, { kind: 'restore', backupSet: 'set', destination: 'sole' });
    job.update({
      kind: 'restore',
      phase: 'downloading',
      filesTotal: 1,
      filesDone: 1,
      bytesTotal: 1,
      bytesDone: 1,
      bytesDownloaded: 1,
      currentPath: undefined,
      etaSeconds: undefined,
      waiting: undefined,
    });
    await job.record(() => Promise.resolve({ report: {}, warnings: 0 }));
    expect(journal.recent('set', 1)[0]!.state).toBe('succeeded');
  });

  test('marks the jobs of a dead process as interrupted, once', () => {
    const running = new RecordedJob(catalog.journal, clock, { kind: 'backup', backupSet: 'set', destination: 'sole' });
    running.transition('uploading');
    expect(catalog.journal.markInterrupted(2000)).toBe(1);
    expect(catalog.journal.markInterrupted(2001)).toBe(0);
    expect(catalog.journal.recent('set', 1)[0]!.state).toBe('interrupted');
  });

  test('refuses a transition that does not exist', () => {
    const id = catalog.journal.queue({ kind: 'backup', backupSet: 'set', destination: 'sole' }, 1);
    expect(() => catalog.journal.transition(id, 'succeeded', 2)).toThrow('queued to succeeded');
  });

  const request = { set: 'set', device: 'd', at: 5, paths: ['/a'], without: [], to: '/back' };
  const restore = (trigger?: string) =>
    ({ kind: 'restore', backupSet: 'set', destination: 'sole', trigger, request }) as const;

  test('lists restores of the app that were interrupted until another job continues them', () => {
    const { journal } = catalog;
    const id = journal.queue(restore('person'), 10);
    journal.queue(restore(), 11);
    journal.transition(id, 'planning', 12);
    expect(journal.unresumedRestores()).toMatchObject([{ id, kills: 0 }]);
    journal.markInterrupted(20);
    const resumption = journal.queueResumption(id, 'resume', true, 21);
    expect(journal.unresumedRestores()).toEqual([]);
    const [first] = journal.pendingRestores();
    expect(first).toMatchObject({ id: resumption, resumes: id, kills: 1, trigger: 'resume', state: 'queued' });
    expect(restoreRequestOf(first!)).toEqual(request);
  });

  test('does not interrupt, list or mark jobs that have not begun', () => {
    const { journal } = catalog;
    const id = journal.queue(restore('person'), 10);
    journal.wait(id, '/mnt/disk', 11);
    expect(journal.markInterrupted(12)).toBe(0);
    expect(journal.pendingRestores()).toMatchObject([{ id, state: 'waiting', waitsFor: '/mnt/disk' }]);
    journal.transition(id, 'withdrawn', 13);
    expect(journal.pendingRestores()).toEqual([]);
    expect(journal.list({}, 10)).toEqual([]);
  });

  test('adds up the progress of interrupted backups until one ends otherwise', () => {
    const { journal } = catalog;
    const backup = (at: number, end: JobState, filesDone: number, bytesDone: number): void => {
      const id = journal.queue({ kind: 'backup', backupSet: 'set', destination: 'sole' }, at);
      journal.transition(id, 'scanning', at);
      journal.recordProgress(id, { filesDone, bytesDone }, at);
      journal.transition(id, end, at);
    };
    backup(1, 'interrupted', 9, 90);
    backup(2, 'succeeded', 9, 10);
    expect(journal.unfinishedProgress('set', 'sole', 2)).toBeUndefined();
    backup(3, 'interrupted', 5, 100);
    backup(4, 'interrupted', 3, 20);
    expect(journal.unfinishedProgress('set', 'sole', 5)).toEqual({ filesDone: 5, bytesDone: 120 });
    expect(journal.unfinishedProgress('set', 'sole', 5 + 24 * 3_600_000)).toBeUndefined();
    expect(journal.unfinishedProgress('set', 'a destination without backups', 5)).toBeUndefined();
  });
});
