import type { FailureSentences } from '../strings/failure-types.ts';

/** The sentences about a destination that is full, with the command that frees space there. */
export const spaceSentences = {
  destination_full: ({ directory }) => ({
    what:
      directory === undefined
        ? 'The destination of your backups has no space left.'
        : `${directory} has no space left.`,
    // A service frees space by itself.
    todo:
      directory === undefined
        ? 'Free up some space there. The next backup resumes where this one stopped.'
        : 'Free what nobody needs there with: holdfast free. If that is not enough, remove restore points with: holdfast points remove',
  }),
  quota_exceeded: ({ detail }) => ({
    what: `The account's storage is full${detail === undefined || detail === '' ? '' : ` (${detail})`}.`,
    todo: 'Get more storage for the account, or remove something from the backup set.',
  }),
  'usage:free-of-service': ({ address }) => ({
    what: `${address} is a service, which frees what nobody needs by itself.`,
    todo: 'See when with: holdfast retention show NAME',
  }),
} satisfies Partial<FailureSentences>;
