import { lstatSync } from 'node:fs';
import type { Computer } from './computer.ts';

/**
 * Returns the person's files and folders that a removed package has left, shortened.
 *
 * @param before what there was before it was installed @throws Error with what belongs to nobody
 */
export async function leftOfPackage(computer: Computer, before: readonly string[]): Promise<readonly string[]> {
  const known = new Set(before);
  // What somebody installs on the real computer meanwhile is visible in the copy, too.
  const isOutside = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  const left = (await computer.paths()).filter((path) => !known.has(path) && !isOutside(path));
  const others = left.filter(
    (path) => !path.startsWith('/home/anna/') || path.startsWith('/home/anna/.config/Holdfast'),
  );
  if (others.length > 0) throw new Error(`left behind:\n${others.join('\n')}`);
  const own = [...new Set(left.map((path) => path.split('/').slice(0, 7).join('/')))];
  return own.filter((path) => !path.includes('/restored') && !path.includes('/window/')).slice(0, 40);
}
