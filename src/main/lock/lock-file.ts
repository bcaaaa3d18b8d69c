import { readFileSync, rmSync } from 'node:fs';
import { z } from 'zod';
import { HoldfastError } from '../../base/errors.ts';
import { writeWholeFile } from '../system/whole-file.ts';
import { passwordVerifier } from './password-verifier.ts';

/** The lock as it is kept in the home; there is a file while it is on. */
const keptLock = z.object({
  version: z.literal(1),
  password: passwordVerifier,
  locksOnClose: z.boolean(),
  idleMinutes: z.int().min(0).max(240),
  misses: z.object({ count: z.int().min(0), lastAt: z.number() }),
});
export type KeptLock = Readonly<z.infer<typeof keptLock>>;

/**
 * Nothing where the lock is off. A file that is there and cannot be read is no reason to let anybody in: `damaged`. It stays
 * as it is.
 */
export function readLock(file: string): KeptLock | 'damaged' | undefined {
  try {
    return keptLock.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? undefined : 'damaged';
  }
}

/** Atomically, for its owner only. @throws HoldfastError `home_unwritable` */
export function writeLock(file: string, lock: KeptLock): void {
  touch(file, () => writeWholeFile(file, `${JSON.stringify(lock, undefined, 2)}\n`));
}

/** @throws HoldfastError `home_unwritable` */
export function removeLock(file: string): void {
  touch(file, () => rmSync(file, { force: true }));
}

function touch(file: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new HoldfastError('home_unwritable', { file, problem: codeOf(error) });
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
