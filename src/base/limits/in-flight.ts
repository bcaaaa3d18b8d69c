/**
 * Bounds the work in flight: `start` waits until there is room. After a failure the next call throws it, once everything
 * in flight has ended, so that nothing continues unnoticed.
 *
 * p-limit does not fit here: it queues without a bound, where the producer has to wait, and it does not collect failures.
 */
export class InFlight {
  readonly #running = new Set<Promise<void>>();
  #failure: { readonly reason: unknown } | undefined;

  /** Starts `work` as soon as fewer than `limit` pieces are in flight. */
  async start(limit: number, work: () => Promise<void>): Promise<void> {
    while (this.#running.size >= limit && !this.#failure) await Promise.race(this.#running);
    if (this.#failure) await this.finish();
    const running: Promise<void> = work()
      .catch((reason: unknown) => {
        this.#failure ??= { reason };
      })
      .finally(() => {
        this.#running.delete(running);
      });
    this.#running.add(running);
  }

  get size(): number {
    return this.#running.size;
  }

  /** Waits for everything in flight. @throws the first failure */
  async finish(): Promise<void> {
    await Promise.all(this.#running);
    if (this.#failure) throw this.#failure.reason;
  }
}
