import type { Catalog } from '../../../engine/catalog/catalog.ts';
import type { JournalTotals, Journal } from '../../../engine/job/journal.ts';
import type { AppState } from '../../../ipc/state.ts';
import type { DestinationEntry } from '../../home/settings.ts';
import { addTotals } from '../../home/destination-totals.ts';
import { dayStrip, stripStart } from './day-strip.ts';

/** A destination, with the totals of the backups there before the journal has them. */
type Destination = Pick<DestinationEntry, 'id' | 'since' | 'totals'>;

export type Figures = Pick<AppState, 'storage' | 'days'>;

const NOTHING: JournalTotals = { last: 0, scanned: 0, fresh: 0, uploaded: 0, stored: undefined };

/** Computes the figures that change only when a run ends or a day begins. Reads each report once. */
export class FigureMaker {
  #made: { readonly key: string; readonly figures: Figures } | undefined;
  #totals = NOTHING;
  /** The destination of `#totals`. */
  #counted: { readonly id: string; readonly since: number } | undefined;

  /**
   * Leaves `storage.protectedBytes` at 0, since it depends on the sets.
   *
   * @param now milliseconds since the epoch
   */
  at(now: number, { journal }: Catalog, destination: Destination): Figures {
    const start = stripStart(now);
    const { id, since } = destination;
    const key = `${start} ${journal.lastEnd()} ${id} ${since}`;
    if (this.#made?.key !== key) {
      const days = [...dayStrip(journal.endsSince('backup', start), now)];
      this.#made = { key, figures: { storage: this.#storage(journal, destination), days } };
    }
    return this.#made.figures;
  }

  #storage(journal: Journal, { id, since = 0, totals: before }: Destination): AppState['storage'] {
    this.#count(journal, id, since);
    const { scanned, fresh, uploaded, stored } = addTotals(before, this.#totals);
    if (stored === undefined) return { protectedBytes: 0 };
    // The stored bytes include those of interrupted runs, which the journal does not have.
    const compressed = fresh - uploaded;
    const saved = scanned - compressed - Math.max(uploaded, stored);
    return {
      protectedBytes: 0,
      storedBytes: stored,
      ...(saved > 0 ? { savedBytes: saved } : {}),
      ...(compressed > 0 ? { compressedBytes: compressed } : {}),
    };
  }

  /** Jobs end one at a time, so all jobs before the last one have been counted. */
  #count(journal: Journal, id: string, since: number): void {
    const isSame = this.#totals.last === 0 || journal.get(this.#totals.last) !== undefined;
    // Starts anew for another catalog or destination.
    const isCounted = this.#counted?.id === id && this.#counted.since === since;
    const before = isSame && isCounted ? this.#totals : NOTHING;
    const added = journal.totals(before.last, { destination: id, since });
    this.#counted = { id, since };
    this.#totals = {
      last: Math.max(before.last, added.last),
      scanned: before.scanned + added.scanned,
      fresh: before.fresh + added.fresh,
      uploaded: before.uploaded + added.uploaded,
      stored: added.stored ?? before.stored,
    };
  }
}
