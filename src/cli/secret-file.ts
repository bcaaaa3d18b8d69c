import { readFileSync } from 'node:fs';
import { localPath } from '../agent/input/local-path.ts';
import { systemCodeOf, wrongUsage } from '../base/errors/errors.ts';

/**
 * Reads a secret from a file, since everybody on the computer can see a command line. Surrounding white space is
 * removed.
 *
 * @throws HoldfastError `usage` if the file cannot be read or is empty
 */
export function readSecretFile(file: string): string {
  let text: string;
  try {
    text = readFileSync(localPath(file), 'utf8').trim();
  } catch (error) {
    throw wrongUsage({ problem: 'file-unreadable', file, reason: systemCodeOf(error) });
  }
  if (text === '') throw wrongUsage({ problem: 'file-empty', file });
  return text;
}
