import { HoldfastError } from '../../../base/errors.ts';
import { HttpFailure } from '../http/http-failure.ts';

/**
 * Hands the elements of a streamed answer over as they arrive. When an answer that has given some already is asked for
 * again, its receiver is told to forget them; one that cannot is spared a second copy by the end of the call.
 */
export class RestartableReceiver<Element> {
  readonly #onElements: (elements: readonly Element[]) => void | Promise<void>;
  readonly #onRestart: (() => void) | undefined;
  #given = false;

  constructor(onElements: (elements: readonly Element[]) => void | Promise<void>, onRestart: (() => void) | undefined) {
    this.#onElements = onElements;
    this.#onRestart = onRestart;
  }

  /** One try. @param read reads one answer and passes its elements to what it is given */
  async receive<T>(read: (take: (elements: readonly Element[]) => void | Promise<void>) => Promise<T>): Promise<T> {
    if (this.#given) this.#onRestart?.();
    this.#given = false;
    try {
      return await read((elements) => {
        this.#given = true;
        return this.#onElements(elements);
      });
    } catch (error) {
      if (!(error instanceof HttpFailure) || !this.#given || this.#onRestart) throw error;
      const details = { address: error.origin, reason: error.kind };
      throw new HoldfastError('service_unreachable', details, { cause: error, retryable: true });
    }
  }
}
