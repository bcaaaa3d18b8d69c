import { HoldfastError, isHoldfastError } from '../../base/errors.ts';
import type { ErrorDetails } from '../../base/error-details.ts';
import type { LockState } from '../../ipc/state.ts';
import { byClock, missedAgain, nextAttemptAt, NO_MISSES } from './attempts.ts';
import { readLock, removeLock, writeLock } from './lock-file.ts';
import type { KeptLock } from './lock-file.ts';
import { isRightPassword, verifierOf } from './password-verifier.ts';

export interface WindowLockParts {
  /** Where it is kept. */
  readonly file: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly canAskSystem: () => boolean;
  /** What `state` says may be another. */
  readonly changed: () => void;
}

/**
 * Whether the window may show anything. On while a password is set; locked from the start then, since a lock that a restart
 * opens would be none.
 */
export class WindowLock {
  readonly #parts: WindowLockParts;
  #kept: KeptLock | 'damaged' | undefined;
  #isLocked: boolean;
  /** One password is looked at after the other, so that trying many at once is no way around the delay. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(parts: WindowLockParts) {
    this.#parts = parts;
    this.#kept = readLock(parts.file);
    this.#isLocked = this.#kept !== undefined;
  }

  get isOn(): boolean {
    return this.#kept !== undefined;
  }

  get isLocked(): boolean {
    return this.#isLocked;
  }

  /** After so much time without use it shall lock; 0 where it shall not, or is. */
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
      misses: NO_MISSES,
    };
    const waitUntil = nextAttemptAt(misses);
    return {
      isOn,
      isLocked,
      canAskSystem: this.#parts.canAskSystem(),
      locksOnClose,
      idleMinutes,
      ...(waitUntil > this.#parts.now() && { waitUntil }),
    };
  }

  /** @throws HoldfastError `refused` where it is off */
  lock(): void {
    if (!this.isOn) throw refused('lock-off');
    if (this.#isLocked) return;
    this.#isLocked = true;
    this.#parts.changed();
  }

  /** Somebody was recognised in another way than by the password. */
  open(): void {
    if (!this.#isLocked) return;
    this.#isLocked = false;
    this.#parts.changed();
  }

  /** @throws HoldfastError as `prove` */
  async unlock(password: string): Promise<void> {
    if (!this.#isLocked) return;
    await this.prove(password);
    this.open();
  }

  /** Without the password, which somebody forgot who has shown the recovery phrase. @throws HoldfastError `home_unwritable` */
  drop(): void {
    removeLock(this.#parts.file);
    this.#kept = undefined;
    this.#isLocked = false;
    this.#parts.changed();
  }

  /** @throws HoldfastError as `prove`, `lock_password_needed` where one is set and none was given, `home_unwritable` */
  async setPassword(password: string, current: string | undefined): Promise<void> {
    if (this.isOn) await this.prove(current);
    const verifier = await verifierOf(password);
    const { locksOnClose, idleMinutes } = this.#known ?? { locksOnClose: false, idleMinutes: 0 };
    this.#keep({ version: 1, password: verifier, locksOnClose, idleMinutes, misses: NO_MISSES });
    this.#parts.changed();
  }

  /** @throws HoldfastError as `prove`, `home_unwritable` */
  async remove(current: string): Promise<void> {
    await this.prove(current);
    this.drop();
  }

  /** @throws HoldfastError `refused` where it is off, `home_unwritable` */
  configure(when: Pick<KeptLock, 'locksOnClose' | 'idleMinutes'>): void {
    if (!this.#known) throw refused('lock-off');
    this.#keep({ ...this.#known, ...when });
    this.#parts.changed();
  }

  /**
   * @throws HoldfastError `lock_password_needed`, `lock_password_wrong`, `lock_wait`, `lock_damaged`; `refused` where no
   *   password is set
   */
  prove(password: string | undefined): Promise<void> {
    const proved = this.#queue.then(() => this.#prove(password));
    this.#queue = proved.catch(() => undefined);
    return proved;
  }

  async #prove(password: string | undefined): Promise<void> {
    const { now, changed } = this.#parts;
    const lock = this.#known;
    if (!lock) throw this.#kept === 'damaged' ? new HoldfastError('lock_damaged') : refused('lock-off');
    if (password === undefined) throw new HoldfastError('lock_password_needed');
    const misses = byClock(lock.misses, now());
    const wait = nextAttemptAt(misses) - now();
    if (wait > 0) {
      this.#remember({ ...lock, misses });
      throw new HoldfastError('lock_wait', { seconds: Math.ceil(wait / 1000) });
    }
    // Counted before it is looked at, so that who ends the program in between gains nothing.
    const counted = missedAgain(misses, now());
    this.#remember({ ...lock, misses: counted });
    if (await isRightPassword(password, lock.password)) {
      this.#remember({ ...lock, misses: NO_MISSES });
      return;
    }
    changed();
    const next = nextAttemptAt(counted) - now();
    throw new HoldfastError('lock_password_wrong', next > 0 ? { seconds: Math.ceil(next / 1000) } : {});
  }

  get #known(): KeptLock | undefined {
    return this.#kept === 'damaged' ? undefined : this.#kept;
  }

  #keep(lock: KeptLock): void {
    writeLock(this.#parts.file, lock);
    this.#kept = lock;
  }

  /** A disk that is full must not keep its owner out; what is counted holds until the program ends at least. */
  #remember(lock: KeptLock): void {
    this.#kept = lock;
    try {
      writeLock(this.#parts.file, lock);
    } catch (error) {
      if (!isHoldfastError(error)) throw error;
    }
  }
}

function refused(problem: ErrorDetails['refused']['problem']): HoldfastError {
  return new HoldfastError('refused', { problem });
}
