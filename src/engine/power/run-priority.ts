import type { Clock } from '../../base/clock.ts';
import type { BackupProgress, LowPriorityReason, RunOptions } from '../job/progress.ts';
import { decidePriority, type PriorityChoice } from './priority-decision.ts';
import { UNKNOWN_POWER } from './ports.ts';
import type { PowerSystem } from './system.ts';

export interface PriorityRequest {
  readonly choice: PriorityChoice;
  /** Whether a person waits at a terminal for this very run. */
  readonly attended: boolean;
}

/** Threads that start while the priority is low are found so often. A run that ends sooner disturbs nobody. */
const STEP_MS = 1000;

/** The computer and its person are looked at every 15 s, beginning with the first step. */
const STEPS_A_LOOK = 15;

/** Keeps a run at the priority that suits the computer and its person, until it is disposed of. */
export class RunPriority implements AsyncDisposable {
  readonly #request: PriorityRequest;
  readonly #system: PowerSystem;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  readonly #watching: Promise<void>;
  #wanted: LowPriorityReason | undefined;
  /** Why the priority is low, where it is. */
  #reason: LowPriorityReason | undefined;
  #repeat: (() => void) | undefined;

  constructor(request: PriorityRequest, system: PowerSystem, clock: Clock) {
    this.#request = request;
    this.#system = system;
    this.#clock = clock;
    this.#wanted = request.choice === 'low' ? 'asked' : undefined;
    this.#apply();
    this.#watching = request.choice === 'normal' ? Promise.resolve() : this.#watch();
  }

  /** The options of a run, whose progress says so while its priority is low. */
  through(options: RunOptions<BackupProgress>): RunOptions<BackupProgress> {
    const { onProgress } = options;
    if (!onProgress) return options;
    const show = (progress: BackupProgress): void => {
      this.#repeat = () => show(progress);
      onProgress(this.#reason === undefined ? progress : { ...progress, lowPriority: this.#reason });
    };
    return { ...options, onProgress: show };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#repeat = undefined;
    this.#stop.abort();
    await this.#watching;
    this.#try(() => this.#system.control.restore());
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stop;
    for (let step = 0; ; step += 1) {
      try {
        await this.#clock.sleep(STEP_MS, signal);
      } catch {
        return;
      }
      if (this.#request.choice === 'auto' && step % STEPS_A_LOOK === 0) this.#wanted = await this.#look();
      if (signal.aborted) return;
      this.#apply();
    }
  }

  async #look(): Promise<LowPriorityReason | undefined> {
    const { choice, attended } = this.#request;
    const power = (await orNothing(this.#system.power.read())) ?? UNKNOWN_POWER;
    const isDecided = attended || power.onBattery === true;
    const idleSeconds = isDecided ? undefined : await orNothing(this.#system.presence.idleSeconds());
    return decidePriority({ choice, attended, power, idleSeconds });
  }

  /** What cannot be lowered or raised stays, and the progress says how it is. */
  #apply(): void {
    const { control } = this.#system;
    const before = this.#reason;
    if (this.#wanted !== undefined) this.#reason = this.#try(() => control.lower()) ? this.#wanted : undefined;
    else if (before !== undefined && this.#try(() => control.restore())) this.#reason = undefined;
    if (this.#reason !== before) this.#repeat?.();
  }

  /** A system that cannot do this just now is no reason for a backup to fail. */
  #try(action: () => boolean): boolean {
    try {
      return action();
    } catch {
      return false;
    }
  }
}

function orNothing<Value>(answer: Promise<Value>): Promise<Value | undefined> {
  return answer.catch(() => undefined);
}
