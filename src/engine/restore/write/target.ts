import { accessSync, constants, realpathSync, statfsSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';
import { HoldfastError, systemCodeOf } from '../../../base/errors.ts';
import { makeFolderSync } from '../../filesystem/make-folder.ts';

/** System errors of a full disk: no room, or none that this person may have. */
export const FULL_CODES: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

/** The folder that a restore writes to. */
export interface Target {
  /** Real path, also where it is not there yet. */
  readonly path: string;
  readonly exists: boolean;
  /** The deepest folder on the way that is there. */
  readonly deepest: string;
}

/**
 * Looks at a target without touching it.
 *
 * @throws HoldfastError `target_unwritable` (details `{target, reason}`), `target_inside_source` (`{target, source}`)
 */
export function resolveTarget(to: string, sourceRoots: readonly string[]): Target {
  if (!isAbsolute(to)) throw new HoldfastError('usage', { target: to, expected: 'absolute path' });
  const deepest = deepestExisting(to);
  const path = join(deepest.real, deepest.rest);
  for (const source of sourceRoots) {
    // Nothing is outside of a whole disk: then there would be no way to restore anything.
    if (dirname(source) === source) continue;
    if (isInside(path, realPathOr(source))) throw new HoldfastError('target_inside_source', { target: to, source });
  }
  if (!statSync(deepest.real).isDirectory()) throw unwritable(to, 'ENOTDIR');
  return { path, exists: deepest.rest === '', deepest: deepest.real };
}

function deepestExisting(to: string): { readonly real: string; readonly rest: string } {
  let path = to;
  for (;;) {
    try {
      return { real: realpathSync(path), rest: relative(path, to) };
    } catch (error) {
      const code = systemCodeOf(error);
      if (code !== 'ENOENT' || dirname(path) === path) throw unwritable(to, code ?? 'EIO', error);
      path = dirname(path);
    }
  }
}

function realPathOr(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/**
 * @param needed bytes that are going to be written
 * @throws HoldfastError `target_full` with details `{target, needed, free}`
 */
export function checkSpace(target: Target, needed: number): void {
  const { bavail, bsize, blocks } = statfsSync(target.deepest);
  // Some network file systems tell nothing.
  if (blocks === 0) return;
  const free = bavail * bsize;
  if (needed > free) throw new HoldfastError('target_full', { target: target.path, needed, free });
}

/**
 * Whether the target can be written, as far as that is seen without writing.
 *
 * @throws HoldfastError `target_unwritable`
 */
export function checkWritable({ path, deepest }: Target): void {
  try {
    accessSync(deepest, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unwritable(path, systemCodeOf(error) ?? 'EIO', error);
  }
}

/**
 * Makes the target folder where it is not there, and writes to it once.
 *
 * @throws HoldfastError `target_unwritable`, `target_full`
 */
export function openForWriting(target: Target, probeName: string): void {
  const probe = join(target.path, probeName);
  try {
    makeFolderSync(target.path);
    writeFileSync(probe, 'x', { flag: 'wx', mode: 0o600 });
    unlinkSync(probe);
  } catch (error) {
    const code = systemCodeOf(error) ?? 'EIO';
    if (FULL_CODES.has(code)) throw new HoldfastError('target_full', { target: target.path }, { cause: error });
    throw unwritable(target.path, code, error);
  }
}

function unwritable(target: string, reason: string, cause?: unknown): HoldfastError {
  return new HoldfastError('target_unwritable', { target, reason }, { cause });
}
