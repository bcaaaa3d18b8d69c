import { readFileSync } from 'node:fs';
import { wrongUsage } from '../base/failure.ts';

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
    const reason = error instanceof Error && 'code' in error ? String(error.code) : undefined;
    throw wrongUsage('file-unreadable', { file, reason });
  }
  if (text === '') throw wrongUsage('file-empty', { file });
  return text;
}
