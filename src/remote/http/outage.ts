import type { Clock } from '../../base/clock.ts';
import { MINUTE } from '../../model/units.ts';

/** Milliseconds for which calls do not ask again what another one has waited for in vain. */
const MOMENT = 10_000;

/** The most that an attempt counts. What took longer has moved bytes first, or the computer slept meanwhile. */
const LONGEST_SILENCE = MINUTE;

/**
 * What the calls to one target tell each other of an outage, so that a command waits for it once, however many calls it makes.
 * Each call has an `Endurance` of its own.
 */
export class Outage {
  readonly #clock: Pick<Clock, 'now'>;
  /** How often the target was reached. */
  #contacts = 0;
  #established: { readonly error: Error; readonly until: number } | undefined;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  get contacts(): number {
    return this.#contacts;
  }

  /** @throws the error of the call that gave up a moment ago */
  check(): void {
    if (this.#established && this.#clock.now() < this.#established.until) throw this.#established.error;
  }

  reached(): void {
    this.#contacts += 1;
    this.#established = undefined;
  }

  /** A call gives up. Returns whether that is an outage: none is established if anybody has reached the target since the call began. */
  establish(error: Error, contacts: number): boolean {
    if (contacts !== this.#contacts) return false;
    this.#established = { error, until: this.#clock.now() + MOMENT };
    return true;
  }
}

/** For how long one call has been waiting for a target that is away: in its attempts, and in the pauses between them. */
export class Endurance {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #maxWaitMs: number;
  readonly contacts: number;
  #waited = 0;
  #began: number;

  constructor(clock: Pick<Clock, 'now'>, maxWaitMs: number, { contacts }: Outage) {
    this.#clock = clock;
    this.#maxWaitMs = maxWaitMs;
    this.contacts = contacts;
    this.#began = clock.now();
  }

  /** An attempt begins. */
  begin(): void {
    this.#began = this.#clock.now();
  }

  /** An attempt has ended in silence, or could not begin. */
  addAttempt(): void {
    this.#waited += Math.max(0, Math.min(LONGEST_SILENCE, this.#clock.now() - this.#began));
  }

  addPause(milliseconds: number): void {
    this.#waited += milliseconds;
  }

  /** The target has responded. */
  forget(): void {
    this.#waited = 0;
  }

  get isOver(): boolean {
    return this.#waited > this.#maxWaitMs;
  }
}
