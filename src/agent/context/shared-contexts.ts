import { requireSettings } from '../home/settings.ts';
import { partsAt, type ContextSource } from './agent-parts.ts';
import type { OperationContext } from './operation-context.ts';
import { SharedContext, type SharedContextOptions } from './shared-context.ts';

/** The shared context of each destination. */
export class SharedContexts implements ContextSource {
  readonly #options: SharedContextOptions;
  readonly #contexts = new Map<string, SharedContext>();

  /** @param options with the parts of no particular destination */
  constructor(options: SharedContextOptions) {
    this.#options = options;
  }

  /** @throws HoldfastError `not_set_up`, `destination_unknown`; what `openContext` and `work` throw */
  async use<Result>(
    destination: string | undefined,
    work: (context: OperationContext) => Promise<Result>,
  ): Promise<Result> {
    const { parts } = this.#options;
    // The first destination has one context, whether a query names it or not.
    const { id, others } = requireSettings(parts.home, destination);
    this.#closeAllBut([id, ...others.map((other) => other.id)]);
    let context = this.#contexts.get(id);
    if (!context) {
      context = new SharedContext({ ...this.#options, parts: partsAt(parts, id) });
      this.#contexts.set(id, context);
    }
    return await context.use(work);
  }

  /**
   * Closes a destination after the queries that are in flight. The next query opens it again.
   *
   * @param id all destinations by default
   */
  async close(id?: string): Promise<void> {
    const contexts = [...this.#contexts].filter(([destination]) => id === undefined || destination === id);
    await Promise.all(contexts.map(([, context]) => context.close()));
  }

  #closeAllBut(ids: readonly string[]): void {
    for (const [id, context] of this.#contexts) {
      if (ids.includes(id)) continue;
      this.#contexts.delete(id);
      void context.close();
    }
  }
}
