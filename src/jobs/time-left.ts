/** The speed is averaged over this time. */
const SPEED_WINDOW_MS = 30_000;
/** No estimate is made before. */
const MIN_SPEED_MS = 3000;

/** Estimates the time left of a run by its speed in the last half minute. Work is in any unit, usually bytes. */
export class TimeLeft {
  readonly #samples: { readonly at: number; readonly done: number }[] = [];

  /**
   * Adds a sample. @param at milliseconds
   *
   * @returns whole seconds, at least 1; `undefined` until it can be estimated
   */
  seconds(at: number, done: number, total: number): number | undefined {
    this.#samples.push({ at, done });
    while (at - this.#samples[0]!.at > SPEED_WINDOW_MS) this.#samples.shift();
    const first = this.#samples[0]!;
    const elapsed = at - first.at;
    const moved = done - first.done;
    if (elapsed < MIN_SPEED_MS || moved <= 0) return undefined;
    return Math.max(1, Math.ceil(((total - done) * elapsed) / moved / 1000));
  }
}
