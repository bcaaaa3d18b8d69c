import type { ReactElement } from 'react';
import type { BrowsedEntry } from '../../../../ipc/contract/restore/restore.ts';
import { MenuButton } from '../../../../ui/buttons/menu-button.tsx';
import type { MenuChoice } from '../../../../ui/buttons/menu-choices.tsx';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { call } from '../../../bridge/bridge.ts';
import { useCall } from '../../../bridge/use-call.ts';
import { isolatedName } from '../../../shared/readable-path.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import type { PointTime, Source } from '../store/restore-store.ts';
import { chosenOnly, type ChosenHere } from '../store/use-chosen-entries.ts';
import { saveArchive } from './save-archive.ts';

interface MoreWaysProps {
  readonly source: Pick<Source, 'set' | 'device' | 'destination'>;
  readonly point: PointTime;
  readonly chosen: ChosenHere;
  /** The current row, which is offered while nothing is selected. */
  readonly current: BrowsedEntry | undefined;
  /** The destination is away. */
  readonly isAway: boolean;
}

/** Gives files to other programs: an archive of what is selected, or all restore points as folders of the file manager. */
export function MoreWays(props: MoreWaysProps): ReactElement {
  const { source, point, chosen, current, isAway } = props;
  const { restorePoint, madeAt } = point;
  const { strings, formats } = useLanguage();
  const words = strings.restore.chosen;
  const { run, isPending, failure } = useAction();
  const isBusy = useAppState((state) => state.runs.length > 0) === true;
  const abilities = useCall('shell.abilities', {});
  const isLinux = abilities.kind === 'ready' && abilities.value.platform === 'linux';
  const { set, device, destination } = source;
  const archive = (label: string, what: ChosenHere): MenuChoice => ({
    id: label,
    label,
    icon: 'download',
    isDisabled: isAway || isBusy || what.isLookingUp,
    onChoose: () => run(() => saveArchive({ source, restorePoint, when: formats.dateTime(madeAt) }, what)),
  });
  const archives = chosen.isEverything
    ? [
        ...(current ? [archive(words.archiveOne(isolatedName(current.name)), chosenOnly(current))] : []),
        archive(words.archiveAll, chosen),
      ]
    : [archive(words.archive, chosen)];
  const show = async (): Promise<void> => {
    const { mount } = await call('mounts.begin', { set, device, destination });
    await call('shell.open-mount', { mount: mount.id, restorePoint });
  };
  return (
    <>
      <MenuButton
        label={words.ways}
        choices={[
          ...archives,
          ...(isLinux
            ? [
                {
                  id: 'mount',
                  label: words.mount,
                  icon: 'folder' as const,
                  isDisabled: isAway,
                  onChoose: () => run(show),
                },
              ]
            : []),
        ]}
      />
      {isPending && (
        <span role="status" data-live-announcer className="ui-hint">
          {strings.common.loading}
        </span>
      )}
      <FailureNotice failure={failure} />
    </>
  );
}
