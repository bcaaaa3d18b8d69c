import type { BrowsedEntry } from '../../../../ipc/contract/restore/restore.ts';
import { call } from '../../../bridge/bridge.ts';
import { chosenRequest } from '../store/chosen-request.ts';
import { setStarted } from '../store/restore-store.ts';
import type { PointTime, Source } from '../store/restore-store.ts';
import type { ChosenHere } from '../store/use-chosen-entries.ts';

/** Characters of a proposed name. */
const LONGEST_NAME = 200;

interface ArchivePlace {
  readonly source: Pick<Source, 'set' | 'device' | 'destination'>;
  readonly restorePoint: PointTime['restorePoint'];
  /** The time of the restore point, as a person reads it. */
  readonly when: string;
}

/** Asks where, and saves entries of a restore point as an archive there. */
export async function saveArchive({ source, restorePoint, when }: ArchivePlace, what: ChosenHere): Promise<void> {
  const name = archiveName(source.set, [...what.selection.chosen.values()], when);
  const { run } = await call('shell.export', { ...chosenRequest(source, restorePoint, what), name });
  if (run !== undefined) setStarted({ run, request: undefined });
}

/** The proposed name: what is selected, and the time of the restore point. */
function archiveName(set: string, [only, another]: readonly BrowsedEntry[], when: string): string {
  const name = only && !another ? only.name : set;
  return Array.from(`${name} ${when}`).slice(0, LONGEST_NAME).join('');
}
