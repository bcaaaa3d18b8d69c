import type { Catalog } from '../../../engine/catalog/catalog.ts';
import type { JournalTotals, Journal } from '../../../engine/job/journal.ts';
import type { AppState } from '../../../ipc/state.ts';
import type { DestinationTotals } from '../../home/settings.ts';
import { addTotals } from '../../home/destination-totals.ts';
import { dayStrip, stripStart } from './day-strip.ts';

export type Figures = Pick<AppState, 'storage' | 'days'>;

const NOTHING: JournalTotals = { last: 0, scanned: 0, fresh: 0, uploaded: 0, stored: undefined };

/** Computes the figures that change only when a run ends or a day begins. Reads each report once. */
export class FigureMaker {
  #made: { readonly key: string; readonly figures: Figures } | undefined;
  #totals = NOTHING;
  /** The `since` of `#totals`. */
  #since = 0;

  /**
   * Leaves `storage.protectedBytes` at 0, since it depends on the sets.
   *
   * @param now milliseconds since the epoch
   * @param since when the current destination was chosen: earlier backups are elsewhere; as `now`
   * @param before totals of backups at this destination before that
   */
  at(now: number, { journal }: Catalog, since = 0, before?: DestinationTotals): Figures {
    const start = stripStart(now);
    const key = `${start} ${journal.lastEnd()} ${since}`;
    if (this.#made?.key !== key) {
      const days = [...dayStrip(journal.endsSince('backup', start), now)];
      this.#made = { key, figures: { storage: this.#storage(journal, since, before), days } };
    }
    return this.#made.figures;
  }

  #storage(journal: Journal, since: number, before: DestinationTotals | undefined): AppState['storage'] {
    this.#count(journal, since);
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
  #count(journal: Journal, since: number): void {
    const isSame = this.#totals.last === 0 || journal.get(this.#totals.last) !== undefined;
    // Starts anew for another catalog or destination.
    const before = isSame && since === this.#since ? this.#totals : NOTHING;
    const added = journal.totals(before.last, { since });
    this.#since = since;
    this.#totals = {
      last: Math.max(before.last, added.last),
      scanned: before.scanned + added.scanned,
      fresh: before.fresh + added.fresh,
      uploaded: before.uploaded + added.uploaded,
      stored: added.stored ?? before.stored,
    };
  }
}
