import { existsSync, rmSync, writeFileSync } from 'node:fs';

/** Has the next start of the program open no window: nobody asked for it. @param mark a file of the home */
export function startHiddenOnce(mark: string): void {
  writeFileSync(mark, '');
}

/** Returns whether this start was asked to open no window; the one after it is not. */
export function takeStartHidden(mark: string): boolean {
  const isHidden = existsSync(mark);
  rmSync(mark, { force: true });
  return isHidden;
}
