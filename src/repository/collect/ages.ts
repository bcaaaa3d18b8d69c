import type { LedgerListing } from '../ledger/ledger-files.ts';
import type { Repository } from '../repository.ts';

/**
 * Ages of what the ledgers state, by the store's clock where it tells the time, and else by this computer's. The store's present time is that
 * of the segment that this computer has written last: the largest of all times may come from a clock that was ahead.
 *
 * A time in the future comes from such a clock, too. Its age is counted from when this computer first saw it, which it remembers: it
 * is neither old at once nor young for years (docs/decisions/history/0306-times-in-the-future.md).
 */
export class Ages {
  readonly #repository: Repository;
  readonly #listing: LedgerListing;

  constructor(repository: Repository, listing: LedgerListing) {
    this.#repository = repository;
    this.#listing = listing;
  }

  /**
   * Milliseconds since a writer wrote a segment, or the next one of it that is still there.
   *
   * @param time of the segment, by the writer's clock
   */
  ofSegment(writer: string, number: number, time: number): number {
    const { clock, writerKey } = this.#repository;
    const now = this.#listing.get(writerKey.id)?.at(-1)?.created;
    const created = this.writtenAt(writer, number);
    const name = `${writer}/${number}`;
    if (created === undefined) return this.#age(name, time, clock.now());
    // Until this computer writes again, the store does not tell the time.
    return now === undefined ? 0 : this.#age(name, created, now);
  }

  /** When a writer wrote a segment, or the next one of it that is still there, by the store's clock; `undefined` if that does not tell. */
  writtenAt(writer: string, number: number): number | undefined {
    return this.#listing.get(writer)?.find((file) => file.number >= number)?.created;
  }

  /** Milliseconds since the latest decision that packs are lost; `undefined` if there was none. */
  ofLastLoss(): number | undefined {
    const { projection, clock } = this.#repository;
    const loss = projection.packs.lastLoss();
    return loss === undefined ? undefined : this.#age(`lost ${loss}`, loss, clock.now());
  }

  #age(name: string, time: number, now: number): number {
    return now - (time <= now ? time : this.#repository.projection.futureTimes.seen(name, now));
  }
}
