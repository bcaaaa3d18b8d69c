/** What the window says of failures, by their codes (engine/errors.ts, ipc/failure.ts). */
export const failuresEn = {
  unknown: (code: string) => `Something went wrong in Holdfast (${code}). Nothing was changed.`,
  sentences: {},
};
