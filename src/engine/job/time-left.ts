/** Time over which the speed is averaged. */
const SPEED_WINDOW_MS = 30_000;
/** Time that has to pass before a speed says anything. */
const SPEED_NEEDS_MS = 3000;

/** How long a run still takes, by the speed of its last half minute. Work is in any unit, bytes as a rule. */
export class TimeLeft {
  readonly #samples: { readonly at: number; readonly done: number }[] = [];

  /**
   * Takes in how much is done `at` a time in milliseconds.
   *
   * @returns whole seconds, at least 1; nothing where no honest figure can be given yet
   */
  seconds(at: number, done: number, total: number): number | undefined {
    this.#samples.push({ at, done });
    while (at - this.#samples[0]!.at > SPEED_WINDOW_MS) this.#samples.shift();
    const first = this.#samples[0]!;
    const elapsed = at - first.at;
    const moved = done - first.done;
    if (elapsed < SPEED_NEEDS_MS || moved <= 0) return undefined;
    return Math.max(1, Math.ceil(((total - done) * elapsed) / moved / 1000));
  }
}
