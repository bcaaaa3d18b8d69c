/**
 * Who may use one connection. A synchronous store uses it in one go, when it is free; an asynchronous transaction keeps
 * it from its first statement to its last, so that nobody else's statements end up inside.
 */
export class ConnectionTurns {
  #taken: Promise<void> | undefined;

  get isFree(): boolean {
    return this.#taken === undefined;
  }

  /** Resolves when the connection belongs to the caller, with what gives it back. */
  async take(): Promise<() => void> {
    while (this.#taken) await this.#taken;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#taken = promise;
    return () => {
      this.#taken = undefined;
      resolve();
    };
  }

  /** Runs synchronous work as soon as the connection is free: at once, or after who has it. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#taken ? this.#runLater(work) : work();
  }

  async #runLater<Result>(work: () => Promise<Result>): Promise<Result> {
    while (this.#taken) await this.#taken;
    return work();
  }
}

type Methods = Readonly<Record<string, (...parameters: never[]) => Promise<unknown>>>;

/** The same store, whose every call waits for its turn. */
export function inTurns<Store extends object>(store: Store, turns: ConnectionTurns): Store {
  const methods = Object.entries(store as unknown as Methods).map(([name, method]) => [
    name,
    (...parameters: never[]) => turns.run(() => method(...parameters)),
  ]);
  return Object.fromEntries(methods) as Store;
}
