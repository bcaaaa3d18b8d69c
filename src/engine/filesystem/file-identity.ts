import type { Stats } from 'node:fs';

/** Identifies a file as long as it exists. */
export function identityOf({ dev, ino }: Pick<Stats, 'dev' | 'ino'>): string {
  return `${dev}:${ino}`;
}
