import type { ReactElement } from 'react';
import { MenuButton } from '../../../../ui/buttons/menu-button.tsx';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { call } from '../../../bridge/bridge.ts';
import { useCall } from '../../../bridge/use-call.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { chosenRequest } from '../store/chosen-request.ts';
import { setStarted } from '../store/restore-store.ts';
import type { PointTime, Source } from '../store/restore-store.ts';
import type { ChosenHere } from '../store/use-chosen-entries.ts';

/** Characters of a proposed name. */
const LONGEST_NAME = 200;

interface MoreWaysProps {
  readonly source: Pick<Source, 'set' | 'device' | 'destination'>;
  readonly point: PointTime;
  readonly chosen: ChosenHere;
}

/** Gives files to other programs: an archive of what is selected, or all restore points as folders of the file manager. */
export function MoreWays({ source, point: { restorePoint, madeAt }, chosen }: MoreWaysProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.restore.chosen;
  const { run, failure } = useAction();
  const isBusy = useAppState((state) => state.runs.length > 0) === true;
  const abilities = useCall('shell.abilities', {});
  const isLinux = abilities.kind === 'ready' && abilities.value.platform === 'linux';
  const { set, device, destination } = source;
  const save = async (): Promise<void> => {
    const name = archiveName(set, chosen, formats.dateTime(madeAt));
    const { run: begun } = await call('shell.export', { ...chosenRequest(source, restorePoint, chosen), name });
    if (begun !== undefined) setStarted({ run: begun, request: undefined });
  };
  const show = async (): Promise<void> => {
    const { mount } = await call('mounts.begin', { set, device, destination });
    await call('shell.open-mount', { mount: mount.id, restorePoint });
  };
  return (
    <>
      <MenuButton
        label={words.ways}
        choices={[
          {
            id: 'archive',
            label: words.archive,
            icon: 'download',
            isDisabled: isBusy || chosen.isLookingUp,
            onChoose: () => run(save),
          },
          ...(isLinux ? [{ id: 'mount', label: words.mount, icon: 'folder' as const, onChoose: () => run(show) }] : []),
        ]}
      />
      <FailureNotice failure={failure} />
    </>
  );
}

/** The proposed name: what is selected, and the time of the restore point. */
function archiveName(set: string, { selection: { chosen } }: ChosenHere, when: string): string {
  const [only, another] = chosen.values();
  const name = only && !another ? only.name : set;
  return Array.from(`${name} ${when}`).slice(0, LONGEST_NAME).join('');
}
