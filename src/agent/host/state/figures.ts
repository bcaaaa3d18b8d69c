import type { Catalog } from '../../../engine/catalog/catalog.ts';
import type { JournalTotals, Journal } from '../../../engine/job/journal.ts';
import type { AppState } from '../../../ipc/state.ts';
import type { DestinationTotals } from '../../home/settings.ts';
import { addTotals } from '../../home/destination-totals.ts';
import { dayStrip, stripStart } from './day-strip.ts';

export type Figures = Pick<AppState, 'storage' | 'days'>;

const NOTHING: JournalTotals = { last: 0, scanned: 0, uploaded: 0, stored: undefined };

/** What only changes with the end of a run or with the day. Reports are read once, those of new runs only. */
export class FigureMaker {
  #made: { readonly key: string; readonly figures: Figures } | undefined;
  #totals = NOTHING;
  /** What `#totals` is counted from. */
  #since = 0;

  /**
   * `storage.protectedBytes` is left to whoever knows the sets.
   *
   * @param now milliseconds since the epoch
   * @param since when backups began to go to where they go now: what earlier ones sent and saved is elsewhere; as `now`
   * @param before of backups that went there before that
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
    const { scanned, uploaded, stored } = addTotals(before, this.#totals);
    if (stored === undefined) return { protectedBytes: 0 };
    // Runs that were interrupted have sent more than the journal knows; what is stored counts that too.
    const saved = scanned - Math.max(uploaded, stored);
    return { protectedBytes: 0, storedBytes: stored, ...(saved > 0 ? { savedBytes: saved } : {}) };
  }

  /** One job at a time ends, so that those before the last one have all been counted. */
  #count(journal: Journal, since: number): void {
    const isSame = this.#totals.last === 0 || journal.get(this.#totals.last) !== undefined;
    // Another catalog or another destination has taken the place of the one that was counted.
    const before = isSame && since === this.#since ? this.#totals : NOTHING;
    const added = journal.totals(before.last, since);
    this.#since = since;
    this.#totals = {
      last: Math.max(before.last, added.last),
      scanned: before.scanned + added.scanned,
      uploaded: before.uploaded + added.uploaded,
      stored: added.stored ?? before.stored,
    };
  }
}
