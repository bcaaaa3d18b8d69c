/**
 * Serializes access to one connection. A synchronous store uses the connection in one go, when it is free; an asynchronous
 * transaction keeps it from its first statement to its last, so that no other statement ends up inside.
 */
export class ConnectionTurns {
  #taken: Promise<void> | undefined;

  /** Waits until the connection is free and takes it; returns the function that releases it. */
  async take(): Promise<() => void> {
    while (this.#taken) await this.#taken;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#taken = promise;
    return () => {
      this.#taken = undefined;
      resolve();
    };
  }

  /** Runs synchronous work as soon as the connection is free: immediately, or after its current user. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#taken ? this.#runLater(work) : work();
  }

  async #runLater<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.#taken) await this.#taken;
    return work();
  }
}

type Methods = Readonly<Record<string, (...parameters: never[]) => Promise<unknown>>>;

/** Wraps a synchronous store so that each call waits for its turn. */
export function inTurns<Store extends object>(store: Store, turns: ConnectionTurns): Store {
  const methods = Object.entries(store as unknown as Methods).map(([name, method]) => [
    name,
    (...parameters: never[]) => turns.run(() => method(...parameters)),
  ]);
  return Object.fromEntries(methods) as Store;
}
