/**
 * Bounds concurrent work. The caller waits for a free slot before it produces more, which bounds its memory; p-limit would
 * queue that work instead. The first failure is thrown by the next call, when all work under way has ended.
 */
export class InFlight {
  readonly #running = new Set<Promise<void>>();
  #failure: { readonly reason: unknown } | undefined;

  /** Starts `work` as soon as fewer than `limit` pieces are under way. */
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

  /** Waits for all work under way. */
  async finish(): Promise<void> {
    await Promise.all(this.#running);
    if (this.#failure) throw this.#failure.reason;
  }
}
