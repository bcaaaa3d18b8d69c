import { readFileSync } from 'node:fs';
import { systemCodeOf, wrongUsage } from '../base/errors.ts';

/**
 * A secret that is given in a file, since a command line can be seen by everybody on the computer. White space around it
 * is none of it.
 *
 * @throws HoldfastError `usage` where the file cannot be read or is empty
 */
export function readSecretFile(file: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw wrongUsage({ problem: 'file-unreadable', file, reason: systemCodeOf(error) });
  }
  if (text === '') throw wrongUsage({ problem: 'file-empty', file });
  return text;
}
