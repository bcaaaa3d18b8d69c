import type { FailureSentences } from '../strings/failure-types.ts';

/** The sentences about a user without a home folder, with the option that stands in for it. */
export const homeSentences = {
  'usage:no-home': ({ path }) => ({
    what: `${path === undefined ? '' : `"${path}" stands for nothing: `}HOME is not set, and the system knows no home folder for this user.`,
    todo:
      path === undefined
        ? 'Set HOME, or name the folder for settings, keys and catalog with --home or HOLDFAST_HOME.'
        : 'Set HOME, or write the whole path.',
  }),
} satisfies Partial<FailureSentences>;
