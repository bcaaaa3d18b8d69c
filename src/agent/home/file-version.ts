import { statSync } from 'node:fs';

/** Identifies a file; `''` if it does not exist. Changes when another file takes its place. */
export function fileIdentitySync(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? `${stat.dev}:${stat.ino}` : '';
}

/** Identifies the content of a file; `''` if it does not exist. */
export function fileVersionSync(file: string): string {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat ? `${stat.dev}:${stat.ino}:${stat.mtimeMs}` : '';
}
