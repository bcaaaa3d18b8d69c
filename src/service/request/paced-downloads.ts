import { ReadableStream, type ReadableStreamDefaultController } from 'node:stream/web';
import type { ByteBudget } from './byte-budget.ts';
import { currentRequest } from './request-scope.ts';
import { MINUTE } from '../../model/units.ts';

/** Milliseconds in which a client takes the next piece; a slower one is cut off. */
const TAKEN_WITHIN = MINUTE;

/** Whose share of the memory a download takes. */
export interface Downloader {
  readonly accountId: string;
  readonly person?: string | undefined;
}

/**
 * Downloads that are read from the store as fast as their clients take them, each with a bounded number of bytes in memory. There are
 * only so many at once, and none waits long for its client.
 */
export class PacedDownloads {
  readonly #budget: ByteBudget;
  readonly #takenWithin: number;

  constructor(budget: ByteBudget, takenWithin = TAKEN_WITHIN) {
    this.#budget = budget;
    this.#takenWithin = takenWithin;
  }

  /**
   * Begins a download.
   *
   * @param who the account, and who downloads
   * @param most the largest number of bytes that one of the pieces has
   * @throws ServiceProblem `unavailable` if there are too many
   */
  begin(
    { accountId, person }: Downloader,
    most: number,
    pieces: AsyncGenerator<Uint8Array>,
  ): ReadableStream<Uint8Array> {
    const lease = this.#budget.lease(accountId, person);
    lease.reserve(most);
    let timer: NodeJS.Timeout | undefined;
    const end = async (): Promise<void> => {
      clearTimeout(timer);
      lease.release();
      await pieces.return(undefined);
    };
    const request = currentRequest();
    const waitForClient = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      timer = setTimeout(() => {
        // An error of the stream would be a failure of the service.
        if (request?.cut) request.cut();
        else controller.error(new Error('the client takes the bytes too slowly'));
        void end();
      }, this.#takenWithin).unref();
    };
    return new ReadableStream<Uint8Array>(
      {
        start: waitForClient,
        pull: async (controller) => {
          clearTimeout(timer);
          const next = await pieces.next().catch(async (error: unknown) => {
            await end();
            throw error;
          });
          if (next.done === true) {
            await end();
            controller.close();
            return;
          }
          controller.enqueue(next.value);
          waitForClient(controller);
        },
        cancel: end,
      },
      { highWaterMark: 0 },
    );
  }
}
