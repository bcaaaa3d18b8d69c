import { accessSync, constants, realpathSync, statfsSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { HoldfastError, systemCodeOf, wrongUsage } from '../../base/errors/errors.ts';
import { syncFileSystemSync } from '../../os/filesystem/durability.ts';
import { makeFolderSync } from '../../os/filesystem/make-folder.ts';
import { isInside } from '../../model/local-path.ts';
import type { TaskAnswer } from '../../base/limits/thread-pool.ts';

/** System errors of a full disk or an exceeded quota. */
export const FULL_CODES: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

/** A folder that a restore writes to. */
export interface Place {
  /** Real path, even if it does not exist yet. */
  readonly path: string;
  readonly exists: boolean;
  /** The deepest existing folder on the path. */
  readonly deepest: string;
}

/** The folder that has everything that a restore writes. */
export interface Target extends Place {
  /** The folders in which it creates something: the target folder, or those of the original places. */
  readonly places: readonly Place[];
}

/**
 * Resolves a target without touching it.
 *
 * @throws HoldfastError `target_unwritable` (details `{target, reason}`), `target_inside_source` (`{target, source}`)
 */
export function resolveTarget(to: string, sourceRoots: readonly string[]): Target {
  if (!isAbsolute(to)) throw wrongUsage({ problem: 'target-relative', target: to, expected: 'absolute path' });
  const deepest = deepestExisting(to);
  const path = join(deepest.real, deepest.rest);
  for (const source of sourceRoots) {
    // Everything is inside a whole disk: nothing could be restored.
    if (dirname(source) === source) continue;
    if (isInside(path, realPathOr(source))) throw new HoldfastError('target_inside_source', { target: to, source });
  }
  const place = placeAt(to, deepest);
  return { ...place, places: [place] };
}

/** @throws HoldfastError `target_unwritable` if something else than a folder is there */
export function placeAt(to: string, deepest = deepestExisting(to)): Place {
  const { real, rest } = deepest;
  if (!statSync(real).isDirectory()) throw unwritable(to, 'ENOTDIR');
  return { path: join(real, rest), exists: rest === '', deepest: real };
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

/**
 * @param needed bytes that are going to be written
 * @throws HoldfastError `target_full` with details `{target, needed, free}`
 */
export function checkSpace(target: Target, needed: number): void {
  const devices = new Set(target.places.map(({ deepest }) => statSync(deepest).dev));
  // What each of several file systems gets is not known: writing to a full one fails, file by file.
  if (devices.size > 1) return;
  const { bavail, bsize, blocks } = statfsSync(target.places[0]?.deepest ?? target.deepest);
  // Some network file systems do not report their size.
  if (blocks === 0) return;
  const free = bavail * bsize;
  if (needed > free) throw new HoldfastError('target_full', { target: target.path, needed, free });
}

/**
 * Checks the target's permissions without writing.
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
 * Creates the target folder if it does not exist.
 *
 * @throws HoldfastError `target_unwritable`, `target_full`
 */
export function createTarget({ path }: Target): void {
  try {
    makeFolderSync(path);
  } catch (error) {
    throw writeError(path, systemCodeOf(error) ?? 'EIO', error);
  }
}

/** Returns the path, or the deepest folder above it that exists. */
export function existingFolder(path: string): string {
  let folder = path;
  while (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true && dirname(folder) !== folder) {
    folder = dirname(folder);
  }
  return folder;
}

/**
 * Creates the target folder if it does not exist, and writes a probe to it.
 *
 * @throws HoldfastError `target_unwritable`, `target_full`
 */
export function openForWriting(target: Target, probeName: string): void {
  createTarget(target);
  const probe = join(target.path, probeName);
  try {
    writeFileSync(probe, 'x', { flag: 'wx', mode: 0o600 });
    unlinkSync(probe);
  } catch (error) {
    throw writeError(target.path, systemCodeOf(error) ?? 'EIO', error);
  }
}

/** Flushes the target's file system. Runs in a worker thread; returns the operating system's error code if it fails. */
export function syncTarget({ path }: { readonly path: string }): TaskAnswer<string | undefined> {
  try {
    syncFileSystemSync(path);
    return { value: undefined };
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === undefined) throw error;
    return { value: code };
  }
}

/** @param code the operating system's */
export function writeError(target: string, code: string, cause?: unknown): HoldfastError {
  return FULL_CODES.has(code)
    ? new HoldfastError('target_full', { target }, { cause })
    : unwritable(target, code, cause);
}

function unwritable(target: string, reason: string, cause?: unknown): HoldfastError {
  return new HoldfastError('target_unwritable', { target, reason }, { cause });
}
