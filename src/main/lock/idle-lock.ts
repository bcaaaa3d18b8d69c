import type { WindowLock } from './window-lock.ts';

const LOOK_MS = 5_000;
const MINUTE_MS = 60_000;

/**
 * Locks a window that nobody has used for as long as its owner said. What counts is the window itself: who uses other
 * programs of an unlocked computer is not always who unlocked this one.
 */
export class IdleLock {
  readonly #lock: WindowLock;
  readonly #now: () => number;
  #usedAt: number;

  /** @param now milliseconds since the epoch: time asleep counts */
  constructor(lock: WindowLock, now: () => number) {
    this.#lock = lock;
    this.#now = now;
    this.#usedAt = now();
  }

  /** Looks from now on, until the program ends. */
  start(): void {
    setInterval(() => this.look(), LOOK_MS).unref();
  }

  /** Somebody typed, or moved the pointer over the window. */
  used(): void {
    // What wakes a window up that should be locked already comes too late.
    this.look();
    this.#usedAt = this.#now();
  }

  look(): void {
    const minutes = this.#lock.locksAfterMinutes;
    if (minutes > 0 && this.#now() - this.#usedAt >= minutes * MINUTE_MS) this.#lock.lock();
  }
}
