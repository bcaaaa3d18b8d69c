import type { Progress, RunOptions } from '../../jobs/progress.ts';

/** Adds "waiting for the service", which a run itself does not notice, to the run's progress. */
export class WaitingRelay {
  #reason: string | undefined;
  #repeat: (() => void) | undefined;

  update(reason: string | undefined): void {
    this.#reason = reason;
    this.#repeat?.();
  }

  /**
   * Wraps the options of a run so that its progress passes through this relay. To be called before the destination is opened: that may wait, as well as
   * listing its restore points.
   *
   * @param first the progress to report if the run waits before it reports any itself
   */
  through<Shape extends Progress>(options: RunOptions<Shape>, first: Shape): RunOptions<Shape> {
    const { onProgress } = options;
    if (!onProgress) return options;
    const show = (progress: Shape): void => {
      this.#repeat = () => show(progress);
      onProgress(this.#reason === undefined ? progress : { ...progress, waiting: this.#reason });
    };
    this.#repeat = () => show(first);
    if (this.#reason !== undefined) this.#repeat();
    return { ...options, onProgress: show };
  }
}
