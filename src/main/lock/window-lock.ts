import { HoldfastError, isHoldfastError } from '../../base/errors/errors.ts';
import type { Argon2idCost } from '../../base/crypto/argon2id.ts';
import type { ErrorDetails } from '../../base/errors/error-codes.ts';
import type { LockState } from '../../ipc/state.ts';
import { notInTheFuture, withFailedAttempt, nextAttemptAt, NO_FAILED_ATTEMPTS } from './attempt-delay.ts';
import { LockFile } from './lock-file.ts';
import type { StoredLock } from './lock-file.ts';
import { isRightPassword, verifierOf } from './password-verifier.ts';

export interface WindowLockParts {
  /** The path of the lock file. */
  readonly file: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Returns whether the system can verify the person. */
  readonly canAuthenticate: () => boolean;
  /** Called when `state` may have changed. */
  readonly changed: () => void;
  /** Of a new password's hash. Lowered by tests only. */
  readonly passwordCost?: Argon2idCost;
}

/**
 * The lock of the window. It is on while a password is set, and then starts locked, since a restart would open it
 * otherwise.
 */
export class WindowLock {
  readonly #parts: WindowLockParts;
  readonly #file: LockFile;
  #stored: StoredLock | 'damaged' | undefined;
  #isLocked: boolean;
  /** Passwords are checked one after the other, so that trying many at once does not bypass the delay. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(parts: WindowLockParts) {
    this.#parts = parts;
    this.#file = new LockFile(parts.file);
    this.#stored = this.#file.readSync();
    this.#isLocked = this.#stored !== undefined;
  }

  get isOn(): boolean {
    return this.#stored !== undefined;
  }

  get isLocked(): boolean {
    return this.#isLocked;
  }

  /** Minutes without use after which the window locks; 0 for never, and while it is locked. */
  get locksAfterMinutes(): number {
    return this.#isLocked ? 0 : (this.#known?.idleMinutes ?? 0);
  }

  get locksOnClose(): boolean {
    return this.#known?.locksOnClose ?? false;
  }

  get state(): LockState {
    const { isOn, isLocked } = this;
    const { locksOnClose, idleMinutes, misses } = this.#known ?? {
      locksOnClose: false,
      idleMinutes: 0,
      misses: NO_FAILED_ATTEMPTS,
    };
    const waitUntil = nextAttemptAt(misses);
    return {
      isOn,
      isLocked,
      canAskSystem: this.#parts.canAuthenticate(),
      locksOnClose,
      idleMinutes,
      ...(waitUntil > this.#parts.now() && { waitUntil }),
    };
  }

  /** @throws HoldfastError `refused` when the lock is off */
  lock(): void {
    if (!this.isOn) throw refused('lock-off');
    if (this.#isLocked) return;
    this.#isLocked = true;
    this.#parts.changed();
  }

  /** Unlocks without the password, after the person was verified in another way. */
  open(): void {
    if (!this.#isLocked) return;
    this.#isLocked = false;
    this.#parts.changed();
  }

  /** @throws HoldfastError as `verify` */
  async unlock(password: string): Promise<void> {
    if (!this.#isLocked) return;
    await this.verify(password);
    this.open();
  }

  /** Turns the lock off without the password, for a person who entered the recovery phrase. @throws HoldfastError `home_unwritable` */
  turnOff(): void {
    this.#file.removeSync();
    this.#stored = undefined;
    this.#isLocked = false;
    this.#parts.changed();
  }

  /** @throws HoldfastError as `verify`, `lock_password_needed` when one is set and none was given, `home_unwritable` */
  async setPassword(password: string, current: string | undefined): Promise<void> {
    if (this.isOn) await this.verify(current);
    const verifier = await verifierOf(password, this.#parts.passwordCost);
    const { locksOnClose, idleMinutes } = this.#known ?? { locksOnClose: false, idleMinutes: 0 };
    this.#store({ version: 1, password: verifier, locksOnClose, idleMinutes, misses: NO_FAILED_ATTEMPTS });
    this.#parts.changed();
  }

  /** @throws HoldfastError as `verify`, `home_unwritable` */
  async remove(current: string): Promise<void> {
    await this.verify(current);
    this.turnOff();
  }

  /** @throws HoldfastError `refused` when the lock is off, `home_unwritable` */
  configure(when: Pick<StoredLock, 'locksOnClose' | 'idleMinutes'>): void {
    if (!this.#known) throw refused('lock-off');
    this.#store({ ...this.#known, ...when });
    this.#parts.changed();
  }

  /**
   * Checks a password.
   *
   * @throws HoldfastError `lock_password_needed`, `lock_password_wrong`, `lock_wait`, `lock_damaged`; `refused` when no
   *   password is set
   */
  verify(password: string | undefined): Promise<void> {
    const verified = this.#queue.then(() => this.#verify(password));
    this.#queue = verified.catch(() => undefined);
    return verified;
  }

  async #verify(password: string | undefined): Promise<void> {
    const { now, changed } = this.#parts;
    const lock = this.#known;
    if (!lock) throw this.#stored === 'damaged' ? new HoldfastError('lock_damaged') : refused('lock-off');
    if (password === undefined) throw new HoldfastError('lock_password_needed');
    const misses = notInTheFuture(lock.misses, now());
    const wait = nextAttemptAt(misses) - now();
    if (wait > 0) {
      this.#storeIfPossible({ ...lock, misses });
      throw new HoldfastError('lock_wait', { seconds: Math.ceil(wait / 1000) });
    }
    // Counted before the check, so that ending the program in between gains nothing.
    const counted = withFailedAttempt(misses, now());
    this.#storeIfPossible({ ...lock, misses: counted });
    if (await isRightPassword(password, lock.password)) {
      this.#storeIfPossible({ ...lock, misses: NO_FAILED_ATTEMPTS });
      return;
    }
    changed();
    const next = nextAttemptAt(counted) - now();
    throw new HoldfastError('lock_password_wrong', next > 0 ? { seconds: Math.ceil(next / 1000) } : {});
  }

  get #known(): StoredLock | undefined {
    return this.#stored === 'damaged' ? undefined : this.#stored;
  }

  #store(lock: StoredLock): void {
    this.#file.writeSync(lock);
    this.#stored = lock;
  }

  /** A full disk must not lock the owner out; the count is valid at least until the program ends. */
  #storeIfPossible(lock: StoredLock): void {
    this.#stored = lock;
    try {
      this.#file.writeSync(lock);
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
    }
  }
}

function refused(problem: ErrorDetails['refused']['problem']): HoldfastError {
  return new HoldfastError('refused', { problem });
}
