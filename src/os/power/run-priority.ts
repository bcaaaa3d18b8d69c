import type { Clock } from '../../base/clock.ts';
import type { BackupProgress, LowPriorityReason, RunOptions } from '../../jobs/progress.ts';
import { decidePriority, type PriorityChoice } from './priority-decision.ts';
import { UNKNOWN_POWER } from './ports.ts';
import type { PowerSystem } from './system.ts';

export interface PriorityRequest {
  readonly choice: PriorityChoice;
  /** True if a person waits at a terminal for this very run. */
  readonly attended: boolean;
}

/** Interval of checks for new threads. A run that ends sooner disturbs nobody. */
const CHECK_MS = 1000;

/** Power and presence are read with every 15th check, beginning with the first. */
const CHECKS_PER_READING = 15;

/** Adapts a run's priority to power source and presence until it is disposed of. */
export class RunPriority implements AsyncDisposable {
  readonly #request: PriorityRequest;
  readonly #system: PowerSystem;
  readonly #clock: Clock;
  readonly #stop = new AbortController();
  readonly #watching: Promise<void>;
  #wanted: LowPriorityReason | undefined;
  /** Why the priority is low; `undefined` for normal priority. */
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

  /** Adds the reason for a low priority to a run's progress. */
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
    for (let check = 0; ; check += 1) {
      try {
        await this.#clock.sleep(CHECK_MS, signal);
      } catch {
        return;
      }
      if (this.#request.choice === 'auto' && check % CHECKS_PER_READING === 0) this.#wanted = await this.#read();
      if (signal.aborted) return;
      this.#apply();
    }
  }

  async #read(): Promise<LowPriorityReason | undefined> {
    const { choice, attended } = this.#request;
    const power = (await orUndefined(this.#system.power.read())) ?? UNKNOWN_POWER;
    const isDecided = attended || power.onBattery === true;
    const idleSeconds = isDecided ? undefined : await orUndefined(this.#system.presence.idleSeconds());
    return decidePriority({ choice, attended, power, idleSeconds });
  }

  /** Applies the wanted priority. If the system refuses, the progress shows the actual one. */
  #apply(): void {
    const { control } = this.#system;
    const before = this.#reason;
    if (this.#wanted !== undefined) this.#reason = this.#try(() => control.lower()) ? this.#wanted : undefined;
    else if (before !== undefined && this.#try(() => control.restore())) this.#reason = undefined;
    if (this.#reason !== before) this.#repeat?.();
  }

  /** A failure to set priorities must not fail the backup. */
  #try(action: () => boolean): boolean {
    try {
      return action();
    } catch {
      return false;
    }
  }
}

function orUndefined<Value>(answer: Promise<Value>): Promise<Value | undefined> {
  return answer.catch(() => undefined);
}
