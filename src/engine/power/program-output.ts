import { execFile } from 'node:child_process';

/** Programs are killed after this time. */
const LIMIT_MS = 3000;

/** Returns a program's output in the C locale; `undefined` if it is missing, fails or does not end in time. */
export function outputOf(program: string, words: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { timeout: LIMIT_MS, env: { ...process.env, LC_ALL: 'C' }, windowsHide: true };
    execFile(program, words, options, (error, stdout) => resolve(error ? undefined : stdout));
  });
}
