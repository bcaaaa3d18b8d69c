import type { RunWarning } from '../../jobs/run-warning.ts';
import type { RestoreSource } from '../../model/restore-request.ts';

type SetSource = Pick<RestoreSource, 'deviceId' | 'backupSet'>;

/** What the lists of restore points that a destination has answered with may hide, by set. */
export class WatchedPoints {
  readonly #bySet = new Map<string, readonly RunWarning[]>();

  /** Returns that of the last list of a set; nothing if it was not listed. */
  of(source: SetSource): readonly RunWarning[] {
    return this.#bySet.get(keyOf(source)) ?? [];
  }

  record(source: SetSource, warnings: readonly RunWarning[]): void {
    this.#bySet.set(keyOf(source), warnings);
  }
}

function keyOf({ deviceId, backupSet }: SetSource): string {
  return JSON.stringify([deviceId, backupSet]);
}
