import { isAbsolute, normalize } from 'node:path';

/** Followed by the absolute path of a file or folder. */
export const PREVIOUS_VERSIONS = '--previous-versions';

/** Longest path of Linux, in characters of the command line. */
const LONGEST = 4096;

/** Returns the path whose previous versions a command line asks for, if it does. */
export function requestedPath(words: readonly string[]): string | undefined {
  const option = words.indexOf(PREVIOUS_VERSIONS);
  const path = option < 0 ? undefined : words[option + 1];
  if (path === undefined || path.length > LONGEST || path.includes('\0') || !isAbsolute(path)) return undefined;
  const plain = normalize(path);
  return plain.length > 1 && /[/\\]$/.test(plain) && !/^[A-Za-z]:\\$/.test(plain) ? plain.slice(0, -1) : plain;
}
