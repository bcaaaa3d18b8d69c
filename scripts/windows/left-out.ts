/** Test files that are not run on Windows, by the beginning of their path, and why. The first entry that fits counts. */
export const LEFT_OUT: readonly (readonly [prefix: string, reason: string])[] = [];

/** Returns `undefined` for a file that runs. */
export function reasonToLeaveOut(file: string): string | undefined {
  return LEFT_OUT.find(([prefix]) => file.startsWith(prefix))?.[1];
}
