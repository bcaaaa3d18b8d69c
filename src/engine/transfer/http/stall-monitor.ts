/** Without any sign of life for so long, people are told. Requests themselves wait longer before they give up. */
const STILL_MS = 10_000;
const LOOK_MS = 1_000;

/** Notices that nothing moves on the network although something was asked for or sent. */
export class StallMonitor {
  readonly #onStill: (still: boolean) => void;
  #awaited = 0;
  #looks = 0;
  #still = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param onStill called when nothing has moved for ten seconds, and when something does again */
  constructor(onStill: (still: boolean) => void) {
    this.#onStill = onStill;
  }

  /** Waits for the other side: an answer, or the next part of one. */
  async watch<T>(moved: Promise<T>): Promise<T> {
    this.#awaited += 1;
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref();
    try {
      return await moved;
    } finally {
      this.#awaited -= 1;
      this.moved();
      if (this.#awaited === 0) {
        clearInterval(this.#timer);
        this.#timer = undefined;
      }
    }
  }

  moved(): void {
    this.#looks = 0;
    this.#tell(false);
  }

  #look(): void {
    this.#looks += 1;
    if (this.#looks * LOOK_MS >= STILL_MS) this.#tell(true);
  }

  #tell(still: boolean): void {
    if (still === this.#still) return;
    this.#still = still;
    this.#onStill(still);
  }
}
