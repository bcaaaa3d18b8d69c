import type { LedgerListing } from '../ledger/ledger-files.ts';
import type { CondemnedPack } from '../projection/packs.ts';
import type { Repository } from '../repository.ts';
import { Ages } from './ages.ts';
import { DAY } from '../../model/units.ts';

/** Milliseconds between condemning a pack and deleting its file, at the least. */
export const CONDEMNED_FOR_MS = 3 * DAY;
/** A device without a segment for so long does not hold up deletions. It reads the ledgers before it counts on anything. */
const SILENT_AFTER_MS = 30 * DAY;
/** Milliseconds after a loss of packs during which nothing is condemned or deleted. */
const LOST_FOR_MS = 30 * DAY;

/** What condemned packs wait for, by one listing of the ledgers. */
export class WaitingPacks {
  readonly #repository: Repository;
  readonly #listing: LedgerListing;
  readonly #ages: Ages;

  constructor(repository: Repository, listing: LedgerListing) {
    this.#repository = repository;
    this.#listing = listing;
    this.#ages = new Ages(repository, listing);
  }

  /** Returns whether packs were lost lately: what only their trees need is not known, and they may come back. */
  mayComeBack(): boolean {
    const age = this.#ages.ofLastLoss();
    return age !== undefined && age < LOST_FOR_MS;
  }

  /** Returns whether the condemnations of a pack are old enough and known to every device. */
  isOver({ by, condemnedAt }: CondemnedPack): boolean {
    // Both are asked at once: a time in the future counts from the first question on.
    const isSeenByAll = this.unseenBy({ by }).length === 0;
    const age = by.map(({ writer, number }) => this.#ages.ofSegment(writer, number, condemnedAt));
    return Math.min(...age) >= CONDEMNED_FOR_MS && isSeenByAll;
  }

  /**
   * Returns when a condemned pack is old enough, in milliseconds since the epoch: counted from when the store got the condemnation, since the
   * clock of whoever condemned it may be wrong.
   */
  oldAt({ by, condemnedAt }: CondemnedPack): number {
    const times = by.map(({ writer, number }) => this.#ages.writtenAt(writer, number) ?? condemnedAt);
    return Math.min(Math.max(...times), this.#repository.clock.now()) + CONDEMNED_FOR_MS;
  }

  /**
   * Returns whether a new segment of this computer is due while packs wait: since others wait until it has seen the condemnations, or since
   * only a new file shows the store's time.
   *
   * @param isAsked whether the time is asked for, although the newest segment is not old by this computer's clock
   */
  haveNews(isAsked: boolean): boolean {
    const condemned = this.#repository.projection.packs.condemned();
    if (condemned.length === 0) return false;
    return condemned.some(({ by }) => !this.#isStatedAsSeen(by)) || this.#isTimeUnknown(isAsked);
  }

  /** Returns the names of the computers, neither silent nor retired, that have not read the condemnations of a pack. */
  unseenBy({ by }: Pick<CondemnedPack, 'by'>): readonly string[] {
    const { projection, writerKey } = this.#repository;
    const { ledgers } = projection;
    return ledgers
      .writers()
      .filter(
        ({ id, number, isRetired, time }) => !isRetired && this.#ages.ofSegment(id, number, time) < SILENT_AFTER_MS,
      )
      .filter(({ id }) =>
        by.some(({ writer, number }) => id !== writer && id !== writerKey.id && ledgers.seenBy(id, writer) < number),
      )
      .map(({ name }) => name);
  }

  /** Returns whether this computer's newest segment was written after it had read the condemnations. */
  #isStatedAsSeen(by: CondemnedPack['by']): boolean {
    const { projection, writerKey } = this.#repository;
    return by.every(
      ({ writer, number }) => writer === writerKey.id || projection.ledgers.seenBy(writerKey.id, writer) >= number,
    );
  }

  #isTimeUnknown(isAsked: boolean): boolean {
    const { projection, writerKey, clock } = this.#repository;
    const tellsTime = [...this.#listing.values()].some((files) => files.some(({ created }) => created !== undefined));
    if (!tellsTime || isAsked) return tellsTime;
    const own = projection.ledgers.writer(writerKey.id);
    const now = clock.now();
    return own === undefined || now - own.time >= DAY || now < own.time;
  }
}
