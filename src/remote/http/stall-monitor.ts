/** Stalls are reported after this time. Requests time out later. */
const STALL_MS = 10_000;
const CHECK_MS = 1_000;

/** Detects that no data moves although requests are under way. */
export class StallMonitor {
  readonly #onStall: (isStalled: boolean) => void;
  #awaited = 0;
  #silentChecks = 0;
  #isStalled = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param onStall called when nothing has moved for ten seconds, and when something does again */
  constructor(onStall: (isStalled: boolean) => void) {
    this.#onStall = onStall;
  }

  /** Awaits a response or the next part of one. */
  async watch<T>(progress: Promise<T>): Promise<T> {
    this.#awaited += 1;
    this.#timer ??= setInterval(() => this.#check(), CHECK_MS).unref();
    try {
      return await progress;
    } finally {
      this.#awaited -= 1;
      this.progressed();
      if (this.#awaited === 0) {
        clearInterval(this.#timer);
        this.#timer = undefined;
      }
    }
  }

  progressed(): void {
    this.#silentChecks = 0;
    this.#report(false);
  }

  #check(): void {
    this.#silentChecks += 1;
    if (this.#silentChecks * CHECK_MS >= STALL_MS) this.#report(true);
  }

  #report(isStalled: boolean): void {
    if (isStalled === this.#isStalled) return;
    this.#isStalled = isStalled;
    this.#onStall(isStalled);
  }
}
