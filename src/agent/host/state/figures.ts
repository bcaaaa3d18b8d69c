import type { Catalog } from '../../../catalog/catalog.ts';
import type { Journal } from '../../../jobs/journal.ts';
import type { JournalTotals } from '../../../jobs/job-record.ts';
import type { ConfiguredDestination, ResumedRestore } from '../../../ipc/state.ts';
import type { DayState } from '../../../ipc/home-state.ts';
import { dayStrip, stripStart } from './day-strip.ts';
import { resumedRestoreOf } from './resumed-restore.ts';
import { growthOf, withLastOfDays } from './growth.ts';

export interface Figures {
  readonly days: DayState[];
  /** By the id of the destination. */
  readonly storage: ReadonlyMap<string, ConfiguredDestination['storage']>;
  /** The newest restore, if it was resumed. */
  readonly resumedRestore: ResumedRestore | undefined;
}

const NOTHING: JournalTotals = { last: 0, scanned: 0, fresh: 0, uploaded: 0, stored: [] };

/** Computes the figures that change only when a run ends or a day begins. Reads each report once. */
export class FigureMaker {
  #made: { readonly key: string; readonly figures: Figures } | undefined;
  /** By the id of the destination. */
  readonly #totals = new Map<string, JournalTotals>();

  /**
   * @param now milliseconds since the epoch
   * @param destinations ids
   */
  at(now: number, { journal }: Catalog, destinations: readonly string[]): Figures {
    const start = stripStart(now);
    const key = `${start} ${journal.lastEnd()} ${destinations.join(' ')}`;
    if (this.#made?.key !== key) {
      const days = [...dayStrip(journal.endsSince('backup', start), now, journal.uploadsSince(start))];
      const storage = new Map(destinations.map((id) => [id, storageOf(this.#count(journal, id), now)]));
      this.#made = { key, figures: { storage, days, resumedRestore: resumedRestoreOf(journal) } };
    }
    return this.#made.figures;
  }

  /** The jobs of a destination end one at a time, so all before the last one have been counted. */
  #count(journal: Journal, destination: string): JournalTotals {
    const known = this.#totals.get(destination) ?? NOTHING;
    const isSameCatalog = known.last === 0 || journal.get(known.last) !== undefined;
    const before = isSameCatalog ? known : NOTHING;
    const added = journal.totals(before.last, destination);
    const totals = {
      last: Math.max(before.last, added.last),
      scanned: before.scanned + added.scanned,
      fresh: before.fresh + added.fresh,
      uploaded: before.uploaded + added.uploaded,
      stored: withLastOfDays(before.stored, added.stored),
    };
    this.#totals.set(destination, totals);
    return totals;
  }
}

function storageOf(
  { scanned, fresh, uploaded, stored: storedByDay }: JournalTotals,
  now: number,
): ConfiguredDestination['storage'] {
  const stored = storedByDay.at(-1)?.bytes;
  if (stored === undefined) return {};
  const growth = growthOf(storedByDay, now);
  // The stored bytes include those of interrupted runs, which the journal does not have.
  const compressed = fresh - uploaded;
  const saved = scanned - compressed - Math.max(uploaded, stored);
  return {
    storedBytes: stored,
    ...(saved > 0 ? { savedBytes: saved } : {}),
    ...(compressed > 0 ? { compressedBytes: compressed } : {}),
    ...(growth ? { growth } : {}),
  };
}
