import type { BackupProgress, RestoreProgress } from './progress.ts';

/** A phase of a job that a process works on. */
export type JobPhase = BackupProgress['phase'] | RestoreProgress['phase'];

/** The states of a job. Every transition between them is a row of the journal. */
export type JobState =
  /** Begins as soon as nothing else runs. */
  | 'queued'
  /** Begins as soon as a disk is connected, or another program is done with the home. */
  | 'waiting'
  /** Begins only when a person requests it again; its error is in the report. */
  | 'blocked'
  /** No longer wanted before it began. */
  | 'withdrawn'
  | JobPhase
  | 'cancelling'
  | 'succeeded'
  | 'succeeded-with-warnings'
  | 'failed'
  | 'cancelled'
  /** Its process ended in the middle. Whatever continues it is a job of its own. */
  | 'interrupted';

const SUCCESSES = ['succeeded', 'succeeded-with-warnings'] as const;
const STOPS = ['cancelling', 'failed', 'interrupted'] as const;

const TRANSITIONS: Readonly<Record<JobState, readonly JobState[]>> = {
  queued: ['scanning', 'planning', 'waiting', 'blocked', 'withdrawn', 'failed'],
  waiting: ['scanning', 'planning', 'blocked', 'withdrawn', 'failed'],
  blocked: ['withdrawn'],
  withdrawn: [],
  scanning: ['uploading', ...SUCCESSES, ...STOPS],
  // A file that changed meanwhile is scanned again.
  uploading: ['scanning', 'committing', ...SUCCESSES, ...STOPS],
  committing: ['scanning', ...SUCCESSES, ...STOPS],
  planning: ['downloading', ...SUCCESSES, ...STOPS],
  downloading: ['finishing', ...SUCCESSES, ...STOPS],
  finishing: [...SUCCESSES, ...STOPS],
  cancelling: ['cancelled', 'failed', 'interrupted'],
  succeeded: [],
  'succeeded-with-warnings': [],
  failed: [],
  cancelled: [],
  interrupted: [],
};

const STATES = Object.keys(TRANSITIONS) as readonly JobState[];

export function isFinal(state: JobState): boolean {
  return TRANSITIONS[state].length === 0;
}

export function canTransition(from: JobState, to: JobState): boolean {
  return TRANSITIONS[from].includes(to);
}

/** The states that a job has only while a process works on it. */
export const ACTIVE_STATES: readonly JobState[] = STATES.filter((state) => canTransition(state, 'interrupted'));

/** The states of a job that has not begun and is still wanted. */
export const PENDING_STATES: readonly JobState[] = STATES.filter((state) => canTransition(state, 'withdrawn'));

/** The states of a job that did everything requested. */
export const SUCCEEDED_STATES: readonly JobState[] = SUCCESSES;
