import type { BigIntStats } from 'node:fs';

/** Identifies a file as long as it exists. */
export function identityOf({ dev, ino }: { readonly dev: number | bigint; readonly ino: number | bigint }): string {
  return `${dev}:${ino}`;
}

/** Identifies the state of a file: it is another one once the file was written, also in place, renamed, or got another inode. */
export function versionOf(stat: BigIntStats): string {
  return `${identityOf(stat)}:${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;
}

/** Returns whether a text is from `versionOf` and not from `identityOf`. */
export function isVersion(text: string): boolean {
  return text.split(':').length > 2;
}
