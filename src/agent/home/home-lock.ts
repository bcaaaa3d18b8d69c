import { join } from 'node:path';
import { z } from 'zod';
import { removeUnfinishedSync } from '../../base/files/atomic-file.ts';
import { HoldfastError } from '../../base/errors/errors.ts';
import { JsonFile } from '../../base/files/json-file.ts';
import type { Home } from './home.ts';
import { ProcessLock } from '../../base/files/process-lock.ts';

const lockHolderForm = z.object({
  pid: z.int(),
  /** Example: `backup documents`. */
  command: z.string(),
  /** ISO 8601. */
  since: z.string(),
});
export type LockHolder = Readonly<z.infer<typeof lockHolderForm>>;

/** Covers the moment in which another process tests the lock, or has taken it and not yet written its holder. */
const PATIENCE_MS = 250;

/** Lets one process at a time work on a home. A file beside the lock names its holder for the processes that wait. */
export class HomeLock implements Disposable {
  readonly #lock: ProcessLock;

  private constructor(lock: ProcessLock) {
    this.#lock = lock;
  }

  /** @throws HoldfastError `home_busy` with `pid`, `command` and `since` of its holder; `home_unwritable` */
  static acquire(home: Home, command: string, now: number): HomeLock {
    const lock = ProcessLock.take(lockFile(home), PATIENCE_MS);
    if (!lock) {
      const { pid, command: holder, since } = readHolder(home);
      throw new HoldfastError('home_busy', { home: home.folder, pid, command: holder, since }, { retryable: true });
    }
    const holder: LockHolder = { pid: process.pid, command, since: new Date(now).toISOString() };
    removeUnfinishedSync(home.folder);
    holderFile(home).writeSync(holder);
    return new HomeLock(lock);
  }

  release(): void {
    this.#lock.release();
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

/** Returns the holder of a home's lock, or `undefined` if it is free. The details may be missing at first. */
export function lockHolder(home: Home): Partial<LockHolder> | undefined {
  const lock = ProcessLock.take(lockFile(home), 0);
  lock?.release();
  return lock ? undefined : readHolder(home);
}

function readHolder(home: Home): Partial<LockHolder> {
  return holderFile(home).readSync(() => undefined) ?? {};
}

function lockFile(home: Home): string {
  return join(home.folder, 'lock.sqlite');
}

function holderFile(home: Home): JsonFile<typeof lockHolderForm> {
  return new JsonFile(join(home.folder, 'lock-holder.json'), lockHolderForm);
}
