import type { InputOf } from '../../../../base/calls/contract.ts';
import type { WindowMethods } from '../../../../ipc/contract/contract.ts';
import type { Source } from '../store/restore-store.ts';
import type { ChosenHere } from '../store/use-chosen-entries.ts';

/** Returns the request for an archive of what is selected. @param when the time of the restore point, for the proposed name */
export function archiveRequest(
  { set, device, destination }: Pick<Source, 'set' | 'device' | 'destination'>,
  restorePoint: string,
  { selection: { chosen, without } }: Pick<ChosenHere, 'selection'>,
  when: string,
): InputOf<WindowMethods, 'shell.export'> {
  const [only, another] = chosen.values();
  const name = only && !another ? only.name : set;
  return {
    set,
    ...(device === undefined ? {} : { device }),
    ...(destination === undefined ? {} : { destination }),
    restorePoint,
    paths: [...chosen.keys()],
    ...(without.size === 0 ? {} : { without: [...without.keys()] }),
    name: Array.from(`${name} ${when}`).slice(0, 200).join(''),
  };
}
