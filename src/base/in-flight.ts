/**
 * Work under way, with a bound: whoever starts more waits until there is room. The first failure is thrown at the next
 * call, when everything that was under way has ended, so that nothing goes on behind the caller's back.
 */
export class InFlight {
  readonly #running = new Set<Promise<void>>();
  #failure: { readonly reason: unknown } | undefined;

  /** Starts `work` as soon as fewer than `limit` are under way. */
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

  /** Waits for all that is under way. */
  async finish(): Promise<void> {
    await Promise.all(this.#running);
    if (this.#failure) throw this.#failure.reason;
  }
}
