import { execFile } from 'node:child_process';

/** Programs are killed after this time. */
const LIMIT_MS = 3000;

/** English, with every letter: in the C locale nmcli has question marks in the names of networks. */
const LOCALE = { LC_ALL: 'C.UTF-8', LANGUAGE: '' };

/** Returns a program's output in English; `undefined` if it is missing, fails or does not end in time. */
export function outputOf(program: string, words: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { timeout: LIMIT_MS, env: { ...process.env, ...LOCALE }, windowsHide: true };
    execFile(program, words, options, (error, stdout) => resolve(error ? undefined : stdout));
  });
}
