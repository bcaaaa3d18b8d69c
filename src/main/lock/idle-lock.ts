import type { WindowLock } from './window-lock.ts';
import { MINUTE } from '../../model/units.ts';

const CHECK_MS = 5_000;

/**
 * Locks the window when nobody has used it for the configured time. Only use of the window itself counts: another person
 * may be using other programs of the unlocked computer.
 */
export class IdleLock {
  readonly #lock: WindowLock;
  readonly #now: () => number;
  #usedAt: number;

  /** @param now milliseconds since the epoch, so that the time asleep counts */
  constructor(lock: WindowLock, now: () => number) {
    this.#lock = lock;
    this.#now = now;
    this.#usedAt = now();
  }

  /** Checks at an interval until the program ends. */
  start(): void {
    setInterval(() => this.check(), CHECK_MS).unref();
  }

  /** Called when a person types or moves the pointer over the window. */
  used(): void {
    // Input that wakes a window whose time is already over must not keep it open.
    this.check();
    this.#usedAt = this.#now();
  }

  check(): void {
    const minutes = this.#lock.locksAfterMinutes;
    if (minutes > 0 && this.#now() - this.#usedAt >= minutes * MINUTE) this.#lock.lock();
  }
}
