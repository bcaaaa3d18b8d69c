import { z } from 'zod';
import { JsonFile } from '../../base/files/json-file.ts';
import { passwordVerifier } from './password-verifier.ts';

/** The lock as the home stores it; the file exists while the lock is on. */
const storedLock = z.object({
  version: z.literal(1),
  password: passwordVerifier,
  locksOnClose: z.boolean(),
  idleMinutes: z.int().min(0).max(240),
  misses: z.object({ count: z.int().min(0), lastAt: z.number() }),
});
export type StoredLock = Readonly<z.infer<typeof storedLock>>;

/** The file that stores the lock of the window. Its failures are `HoldfastError`s, since the window shows them. */
export class LockFile {
  readonly #file: JsonFile<typeof storedLock>;

  constructor(path: string) {
    this.#file = new JsonFile(path, storedLock);
  }

  /**
   * Returns `undefined` when the lock is off. A file that cannot be read must not let anybody in: it counts as `damaged`
   * and stays as it is.
   */
  readSync(): StoredLock | 'damaged' | undefined {
    return this.#file.readSync(() => 'damaged' as const);
  }

  /** @throws HoldfastError `home_unwritable` */
  writeSync(lock: StoredLock): void {
    this.#file.writeSync(lock);
  }

  /** @throws HoldfastError `home_unwritable` */
  removeSync(): void {
    this.#file.removeSync();
  }
}
