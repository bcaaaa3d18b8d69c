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
import { chosenRequest } from '../store/chosen-request.ts';
import { setStarted } from '../store/restore-store.ts';
import type { PointTime, Source } from '../store/restore-store.ts';
import { chosenOnly, type ChosenHere } from '../store/use-chosen-entries.ts';

/** Characters of a proposed name. */
const LONGEST_NAME = 200;

interface MoreWaysProps {
  readonly source: Pick<Source, 'set' | 'device' | 'destination'>;
  readonly point: PointTime;
  readonly chosen: ChosenHere;
  /** The current row, which is offered while nothing is selected. */
  readonly current: BrowsedEntry | undefined;
}

/** Gives files to other programs: an archive of what is selected, or all restore points as folders of the file manager. */
export function MoreWays({ source, point: { restorePoint, madeAt }, chosen, current }: MoreWaysProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.restore.chosen;
  const { run, isPending, failure } = useAction();
  const isBusy = useAppState((state) => state.runs.length > 0) === true;
  const abilities = useCall('shell.abilities', {});
  const isLinux = abilities.kind === 'ready' && abilities.value.platform === 'linux';
  const { set, device, destination } = source;
  const save = async (what: ChosenHere): Promise<void> => {
    const name = archiveName(set, what, formats.dateTime(madeAt));
    const { run: begun } = await call('shell.export', { ...chosenRequest(source, restorePoint, what), name });
    if (begun !== undefined) setStarted({ run: begun, request: undefined });
  };
  const archive = (label: string, what: ChosenHere): MenuChoice => ({
    id: label,
    label,
    icon: 'download',
    isDisabled: isBusy || what.isLookingUp,
    onChoose: () => run(() => save(what)),
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
          ...(isLinux ? [{ id: 'mount', label: words.mount, icon: 'folder' as const, onChoose: () => run(show) }] : []),
        ]}
      />
      {isPending && (
        <span role="status" className="ui-hint">
          {strings.common.loading}
        </span>
      )}
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
