import { execFile } from 'node:child_process';

/** A program of the system that does not answer for so long is of no use here. */
const LIMIT_MS = 3000;

/** What a program prints, in the C locale; nothing where it is not there, fails or does not end. */
export function outputOf(program: string, words: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { timeout: LIMIT_MS, env: { ...process.env, LC_ALL: 'C' }, windowsHide: true };
    execFile(program, words, options, (error, stdout) => resolve(error ? undefined : stdout));
  });
}
