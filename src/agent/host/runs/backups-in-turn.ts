import { isHoldfastError } from '../../../base/errors/errors.ts';
import { reportUnexpected } from '../report-error.ts';
import type { RunQueue } from './run-queue.ts';
import type { BegunRun, EndedRun } from './run-request.ts';
import type { RunStarter } from './run-starter.ts';

/** Backs up several sets at a person's request, one after the other. Other runs may come in between. */
export class BackupsInTurn {
  readonly #starter: Pick<RunStarter, 'backup'>;
  #waiting: string[] = [];

  constructor(starter: Pick<RunStarter, 'backup'>, runs: Pick<RunQueue, 'subscribe'>) {
    this.#starter = starter;
    runs.subscribe({ ended: (run) => this.#ended(run) });
  }

  /** Begins the first, and resolves once it has begun. @throws what `RunStarter.backup` throws */
  async begin([first, ...others]: readonly [string, ...string[]]): Promise<BegunRun> {
    const begun = await this.#starter.backup(first, 'person');
    this.#waiting = others;
    return begun;
  }

  #ended({ kind, outcome }: EndedRun): void {
    // Who stops one of them wants none of the others.
    if (kind === 'backup' && (outcome === 'cancelled' || outcome === 'interrupted')) this.#waiting = [];
    if (this.#waiting.length > 0) void this.#beginNext();
  }

  /** If another run has begun meanwhile, its end brings the next attempt. */
  async #beginNext(): Promise<void> {
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting = this.#waiting.filter((set) => set !== next);
    try {
      await this.#starter.backup(next, 'person');
    } catch (error) {
      if (isHoldfastError(error, 'home_busy')) this.#waiting.unshift(next);
      else if (isHoldfastError(error)) await this.#beginNext();
      else reportUnexpected(error);
    }
  }
}
