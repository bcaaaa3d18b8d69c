import type { EndedRun } from '../../../schedule/ended-run.ts';
import { combinedHistory } from '../../history/combined-history.ts';
import type { SetHistories, SetHistory } from '../../history/set-history.ts';
import type { Scheduled } from '../../schedule/ports.ts';
import type { CatalogAccess } from './catalog-access.ts';
import type { HomeSettings } from '../home-settings.ts';

export interface KnownRunsParts {
  readonly settings: Pick<HomeSettings, 'entries'>;
  readonly catalog: Pick<CatalogAccess, 'read'>;
  readonly histories: SetHistories;
}

/** What the journal knows of earlier runs of a set, for the runs that begin now. */
export class KnownRuns {
  readonly #parts: KnownRunsParts;

  constructor(parts: KnownRunsParts) {
    this.#parts = parts;
  }

  /** Returns the newest restore point of a set at any destination. */
  newestPoint(set: string): SetHistory['lastPoint'] {
    return combinedHistory(this.#at(undefined, set)).lastPoint;
  }

  /** Returns the newest ended run of what is scheduled. A verification reads from whatever destination is nearest. */
  last({ set, destination, kind }: Scheduled): EndedRun | undefined {
    const at = this.#at(destination, set);
    if (destination === undefined) {
      const checked = at.flatMap(({ lastVerify, lastDrill }) => (kind === 'drill' ? lastDrill : lastVerify) ?? []);
      return checked.toSorted((one, other) => other.startedAt - one.startedAt).at(0);
    }
    const [{ lastBackup, wasBegunHere, wasByPerson } = {}] = at;
    return lastBackup && { ...lastBackup, resumesItself: wasBegunHere, isByPerson: wasByPerson };
  }

  /** @param destination its id; all by default */
  #at(destination: string | undefined, set: string): readonly SetHistory[] {
    const { settings, catalog, histories } = this.#parts;
    const entries = settings.entries.filter(({ id }) => destination === undefined || id === destination);
    return catalog.read((open) => entries.map(({ id, deviceId }) => histories.of(open.at(id), deviceId, set)));
  }
}
