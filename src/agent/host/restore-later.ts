import { isHoldfastError } from '../../engine/errors.ts';
import type { Failure } from '../../ipc/failure.ts';
import type { RestoreRequest } from '../../ipc/restore.ts';
import { failureOf } from '../failure.ts';
import type { RunQueue } from './run-queue.ts';

/** Another process tells nobody when it has ended. */
const LOOK_MS = 2000;

export interface WaitingRestore {
  readonly request: RestoreRequest;
  /** Has to begin its run before it first waits for anything, so that nothing else comes in between. */
  readonly begin: () => Promise<unknown>;
}

/** The one restore that waits until what is at work has ended. */
export class RestoreLater {
  readonly #runs: Pick<RunQueue, 'afterThis' | 'busySet'>;
  #waiting: WaitingRestore | undefined;
  #failure: Failure | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(runs: Pick<RunQueue, 'afterThis' | 'busySet'>) {
    this.#runs = runs;
  }

  get request(): RestoreRequest | undefined {
    return this.#waiting?.request;
  }

  /** Why the last one that waited was not begun. */
  get failure(): Failure | undefined {
    return this.#failure;
  }

  /** Begins it now where nothing is at work, else as soon as that has ended. */
  put(restore: WaitingRestore): void {
    this.forget();
    this.#waiting = restore;
    this.#try(restore);
  }

  forget(): void {
    clearTimeout(this.#timer);
    this.#waiting = undefined;
    this.#failure = undefined;
  }

  #try(restore: WaitingRestore): void {
    clearTimeout(this.#timer);
    if (this.#waiting !== restore) return;
    if (this.#runs.busySet !== undefined) {
      this.#runs.afterThis(() => this.#try(restore));
      return;
    }
    restore.begin().then(
      () => this.#done(restore, undefined),
      (error: unknown) => {
        if (!isHoldfastError(error, 'home_busy'))
          this.#done(restore, failureOf(error) ?? { code: 'internal', details: {} });
        else this.#timer = setTimeout(() => this.#try(restore), LOOK_MS).unref();
      },
    );
  }

  #done(restore: WaitingRestore, failure: Failure | undefined): void {
    if (this.#waiting !== restore) return;
    this.#waiting = undefined;
    this.#failure = failure;
  }
}
