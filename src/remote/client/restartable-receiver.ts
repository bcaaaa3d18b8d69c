import { HoldfastError } from '../../base/errors/errors.ts';
import { HttpFailure } from '../http/http-failure.ts';

/**
 * Passes on the elements of a streamed response as they arrive. Before another attempt sends them again, `onRestart` tells
 * the receiver to discard them. Without `onRestart` the call fails instead, so that no element arrives twice.
 */
export class RestartableReceiver<Elements extends readonly unknown[]> {
  readonly #onElements: (...elements: Elements) => void | Promise<void>;
  readonly #onRestart: (() => void) | undefined;
  #hasDelivered = false;

  constructor(onElements: (...elements: Elements) => void | Promise<void>, onRestart: (() => void) | undefined) {
    this.#onElements = onElements;
    this.#onRestart = onRestart;
  }

  /** Makes one attempt. @param read reads a response and passes its elements to its argument */
  async receive<T>(read: (take: (...elements: Elements) => void | Promise<void>) => Promise<T>): Promise<T> {
    if (this.#hasDelivered) this.#onRestart?.();
    this.#hasDelivered = false;
    try {
      return await read((...elements) => {
        this.#hasDelivered = true;
        return this.#onElements(...elements);
      });
    } catch (error) {
      if (!(error instanceof HttpFailure) || !this.#hasDelivered || this.#onRestart) throw error;
      const details = { address: error.origin, reason: error.kind };
      throw new HoldfastError('service_unreachable', details, { cause: error, retryable: true });
    }
  }
}
