/** The states of a job, and the only steps between them. Every step is a row of the journal. */
export type JobState =
  | 'queued'
  | 'waiting'
  | 'scanning'
  | 'uploading'
  | 'committing'
  | 'succeeded'
  | 'succeeded-with-warnings'
  | 'failed'
  | 'cancelling'
  | 'cancelled'
  | 'interrupted';

const STEPS: Readonly<Record<JobState, readonly JobState[]>> = {
  queued: ['scanning', 'waiting', 'cancelled', 'failed'],
  waiting: ['queued', 'scanning', 'uploading', 'committing', 'cancelling', 'cancelled', 'failed', 'interrupted'],
  scanning: ['uploading', 'succeeded', 'succeeded-with-warnings', 'waiting', 'cancelling', 'failed', 'interrupted'],
  // A file that changed in between sends the run back to scanning it.
  // Reading is this state too for a restore and a verification; the latter has nothing to commit.
  uploading: [
    'scanning',
    'committing',
    'succeeded',
    'succeeded-with-warnings',
    'waiting',
    'cancelling',
    'failed',
    'interrupted',
  ],
  committing: ['scanning', 'succeeded', 'succeeded-with-warnings', 'waiting', 'cancelling', 'failed', 'interrupted'],
  cancelling: ['cancelled', 'failed', 'interrupted'],
  // Found at boot in the middle of something: it starts again from the last checkpoint.
  interrupted: ['queued'],
  succeeded: [],
  'succeeded-with-warnings': [],
  failed: [],
  cancelled: [],
};

export function isFinal(state: JobState): boolean {
  return STEPS[state].length === 0;
}

export function canStep(from: JobState, to: JobState): boolean {
  return STEPS[from].includes(to);
}
