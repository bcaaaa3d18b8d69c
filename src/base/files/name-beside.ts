import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';

/** Bytes of the longest name that file systems take. */
const LONGEST_NAME = 255;

/** Returns the path of a temporary file in the folder of another one: its name with a suffix, or a digest of it if that would be too long. */
export function nameBeside(file: string, suffix: string): string {
  const name = basename(file);
  if (Buffer.byteLength(name + suffix) <= LONGEST_NAME) return `${file}${suffix}`;
  return join(dirname(file), `${createHash('sha256').update(name).digest('hex')}${suffix}`);
}
