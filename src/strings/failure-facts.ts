import { diskProblemOf } from '../base/errors/failure.ts';

/** What sentences about failures can depend on besides the details themselves; the catalogues use it like an argument. */
export const failureFacts = {
  /** Whether the disk is full, is failing or may be either; `undefined` if the problem is another one. */
  disk: ({
    reason,
    problem,
  }: {
    readonly reason?: string | undefined;
    readonly problem?: string | undefined;
  }): string | undefined => diskProblemOf(reason ?? problem),
  /** A wait in minutes, if it is at least one minute. */
  waitMinutes: ({ seconds }: { readonly seconds?: number | undefined }): number | undefined =>
    seconds === undefined || seconds < 60 ? undefined : Math.ceil(seconds / 60),
};
