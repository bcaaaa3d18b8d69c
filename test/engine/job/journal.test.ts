import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Catalog } from '../../../src/engine/catalog/catalog.ts';
import { HoldfastError } from '../../../src/base/errors.ts';
import { canStep, isFinal, type JobState } from '../../../src/engine/job/job-state.ts';
import { RecordedJob } from '../../../src/engine/job/recorded-job.ts';

const STATES: readonly JobState[] = [
  'queued',
  'waiting',
  'scanning',
  'uploading',
  'committing',
  'succeeded',
  'succeeded-with-warnings',
  'failed',
  'cancelling',
  'cancelled',
  'interrupted',
];

/** What a job can only have while a process works on it. */
const isActive = (state: JobState): boolean => !isFinal(state) && state !== 'interrupted' && state !== 'queued';

describe('job states', () => {
  it('can all be reached from queued, and final ones lead nowhere', () => {
    const reached = new Set<JobState>(['queued']);
    for (const from of reached) for (const to of STATES) if (canStep(from, to)) reached.add(to);
    expect([...reached].sort()).toEqual([...STATES].sort());
    expect(STATES.filter(isFinal)).toEqual(['succeeded', 'succeeded-with-warnings', 'failed', 'cancelled']);
  });

  it('let every active one be interrupted, and an interrupted one only be queued again', () => {
    expect(STATES.filter(isActive).filter((state) => !canStep(state, 'interrupted'))).toEqual([]);
    expect(STATES.filter((state) => canStep('interrupted', state))).toEqual(['queued']);
  });

  it('never go from cancelling to a success', () => {
    expect(STATES.filter((state) => canStep('cancelling', state))).toEqual(['failed', 'cancelled', 'interrupted']);
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

  it('has a row for every step and the end', async () => {
    const job = new RecordedJob(catalog.journal, clock, 'backup', 'set');
    await job.record(() => {
      job.step('uploading');
      job.step('uploading');
      job.step('committing');
      return Promise.resolve({ report: { files: 1 }, warnings: 0 });
    });
    const [record] = catalog.journal.recent('set', 1);
    expect(record).toMatchObject({ state: 'succeeded', report: '{"files":1}' });
    expect(record!.endedAt).toBeGreaterThan(record!.startedAt);
    const steps = catalog.journal.transitions(record!.id).map((step) => step.state);
    expect(steps).toEqual(['queued', 'scanning', 'uploading', 'committing', 'succeeded']);
  });

  it('tells warnings, failures and interruptions apart', async () => {
    const record = async (work: () => Promise<{ report: unknown; warnings: number }>): Promise<string> => {
      await new RecordedJob(catalog.journal, clock, 'backup', 'set').record(work).catch(() => undefined);
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

  it('marks what a dead process left as interrupted, once', () => {
    const running = new RecordedJob(catalog.journal, clock, 'backup', 'set');
    running.step('uploading');
    expect(catalog.journal.markInterrupted(2000)).toBe(1);
    expect(catalog.journal.markInterrupted(2001)).toBe(0);
    expect(catalog.journal.recent('set', 1)[0]!.state).toBe('interrupted');
  });

  it('refuses a step that does not exist', () => {
    const id = catalog.journal.start('backup', 'set', 1);
    expect(() => catalog.journal.step(id, 'succeeded', 2)).toThrow('queued to succeeded');
  });
});
