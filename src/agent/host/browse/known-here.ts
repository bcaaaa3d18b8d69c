import { Catalog } from '../../../catalog/catalog.ts';
import type { ListedEntry } from '../../../read/list.ts';
import type { OutputOf } from '../../../base/calls/contract.ts';
import type { restoreMethods } from '../../../ipc/contract/restore/restore.ts';
import { formatTimestamp } from '../../../protocol/timestamp.ts';
import type { Home } from '../../home/home.ts';
import { requireStoredSettings } from '../../home/settings.ts';
import type { HistoryAnswers } from '../../operations/history/history-answers.ts';
import type { HistoryReference } from '../../operations/history/searched-sources.ts';
import type { RestoreSource } from '../../operations/restore/restore-sources.ts';

type PointsOutput = OutputOf<typeof restoreMethods, 'restore.points'>;

/** Restore points as this computer knows them, with the destination that they are at. */
export interface KnownPoints extends Pick<PointsOutput, 'points'> {
  readonly destination: NonNullable<PointsOutput['destination']>;
}

/** What this computer knows of restore points without their destination, from the history of files. */
export class KnownHere {
  readonly #home: Home;
  readonly #answers: HistoryAnswers;

  constructor(home: Home, answers: HistoryAnswers) {
    this.#home = home;
    this.#answers = answers;
  }

  /** Lists the sets with known restore points at a destination. The names of other computers are not known here, and empty. */
  sources(destination: string): readonly RestoreSource[] {
    const { destinations } = requireStoredSettings(this.#home);
    const { deviceName } = destinations.find(({ id }) => id === destination)!;
    return this.#answers
      .sources(destination)
      .map(({ set, device, isOwn }) =>
        isOwn ? { set, device: undefined, deviceName } : { set, device, deviceName: '' },
      )
      .toSorted((a, b) => Number(a.device !== undefined) - Number(b.device !== undefined));
  }

  points(reference: HistoryReference): KnownPoints | undefined {
    const found = this.#answers.knownPoints(reference);
    if (!found) return undefined;
    const { source, points } = found;
    const { id, name } = requireStoredSettings(this.#home).destinations.find((one) => one.id === source.destination)!;
    using catalog = new Catalog(this.#home.catalogFile);
    const counted = catalog.at(id).history.restorePoints(source.device, source.set);
    const counts = new Map(counted.map(({ backup_id: backup, files, bytes }) => [backup, { files, bytes }]));
    return {
      destination: { id, name },
      points: points.map(({ time, made, backupId }) => ({
        restorePoint: formatTimestamp(time),
        madeAt: formatTimestamp(made),
        backupId,
        files: counts.get(backupId)?.files,
        bytes: counts.get(backupId)?.bytes,
      })),
    };
  }

  /** Yields all entries of a restore point. @throws HoldfastError `no_restore_point` if it is not known here */
  *tree(reference: HistoryReference, time: number): Generator<readonly ListedEntry[], void, void> {
    for (const entries of this.#answers.tree(reference, time)) {
      yield entries.map(({ path, kind: type, size, modified }) => ({
        path,
        type,
        size,
        modified: formatTimestamp(modified),
      }));
    }
  }
}
