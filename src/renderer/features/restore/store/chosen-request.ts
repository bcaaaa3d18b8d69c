import type { EntrySelection } from '../../../../model/restore-request.ts';
import type { Source } from './restore-store.ts';
import type { ChosenHere } from './use-chosen-entries.ts';

/** What is selected in a restore point, as requests of restores and archives have it. No path stands for everything. */
export function chosenRequest(
  { set, device, destination }: Pick<Source, 'set' | 'device' | 'destination'>,
  restorePoint: string,
  { selection: { chosen, without } }: Pick<ChosenHere, 'selection'>,
): EntrySelection {
  return {
    set,
    ...(device === undefined ? {} : { device }),
    ...(destination === undefined ? {} : { destination }),
    at: Date.parse(restorePoint),
    paths: [...chosen.keys()],
    ...(without.size === 0 ? {} : { without: [...without.keys()] }),
  };
}
