import { useState } from 'react';
import type { ReactElement } from 'react';
import type { View } from '../../../../ipc/contract/contract.ts';
import { foldersThatStopped } from '../../../../ipc/missed-folder.ts';
import type { AppState, ConfiguredDestination } from '../../../../ipc/state.ts';
import type { FolderProblem, Need } from '../../../../model/need.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { ElsewhereButtons } from '../../destination/elsewhere-buttons.tsx';
import { FreeSpaceDialog } from '../../destination/free-space-dialog.tsx';
import { AbsentFolderButtons } from '../../sets/absent/absent-folder-buttons.tsx';
import { AcceptFolders } from '../../sets/absent/accept-folders.tsx';
import type { Section } from '../../sets/draft/draft.ts';
import { isManual } from './is-manual.ts';
import { openSet } from '../../sets/open-set.ts';

interface NeedWaysProps {
  readonly way: Way;
  /** The button that tries again. */
  readonly first: ReactElement | undefined;
  readonly onView: (view: View) => void;
}

export type Way =
  /** The backups are elsewhere now, or new ones go elsewhere. */
  | { readonly kind: 'destination'; readonly destination: ConfiguredDestination }
  /** The set does without a folder. */
  | { readonly kind: 'folder'; readonly set: string; readonly folder: string; readonly problem: FolderProblem }
  /** Other folders are backed up, or those that stopped the backup are accepted as they are. */
  | { readonly kind: 'folders'; readonly set: string; readonly missed: readonly string[] }
  /** Other computers have backups here. */
  | { readonly kind: 'restore' }
  /** Backups start only by hand. */
  | { readonly kind: 'schedule'; readonly set: string }
  /** Fewer restore points are kept, or new backups go elsewhere. */
  | { readonly kind: 'space'; readonly set: string; readonly destination: ConfiguredDestination | undefined };

/** The buttons that mend the cause of a need, beside the one that tries again. */
export function NeedWays({ way, first, onView }: NeedWaysProps): ReactElement {
  const words = useLanguage().strings.home.ways;
  const { run, isPending, failure } = useAction();
  const [isFreeing, setFreeing] = useState(false);
  if (way.kind === 'folder') {
    return (
      <div className="home-need-actions">
        {first}
        <AbsentFolderButtons {...way} />
      </div>
    );
  }
  if (way.kind === 'destination') {
    return (
      <div className="home-need-actions">
        {first}
        <ElsewhereButtons destination={way.destination} />
      </div>
    );
  }
  if (way.kind === 'restore') {
    return (
      <div className="home-need-actions">
        {first}
        <Button onPress={() => onView('restore')}>{words.restore}</Button>
      </div>
    );
  }
  const { set } = way;
  const section = { space: 'keep', schedule: 'when', folders: 'what' }[way.kind] as Section;
  const open = (): void => run((isShown) => openSet({ set, section, isShown, onView }));
  const missed = way.kind === 'folders' ? way.missed : [];
  const full = way.kind === 'space' ? way.destination : undefined;
  // A service frees space by itself.
  const isOwn = full !== undefined && full.kind !== 'service';
  return (
    <div className="home-need-actions">
      {first}
      {missed.length > 0 && <AcceptFolders set={set} folders={missed} />}
      <Button isPending={isPending} onPress={() => (isOwn ? setFreeing(true) : open())}>
        {{ space: words.freeSpace, schedule: words.schedule, folders: words.folders }[way.kind]}
      </Button>
      {full && <ElsewhereButtons destination={full} canBeMoved={false} />}
      <FailureNotice failure={failure} />
      {isFreeing && isOwn && (
        <FreeSpaceDialog
          destination={full}
          onKeepFewer={() => {
            setFreeing(false);
            open();
          }}
          onClose={() => setFreeing(false)}
        />
      )}
    </div>
  );
}

/** What the code of a failed backup says about a folder of its set. */
const SOURCE: ReadonlyMap<string, FolderProblem> = new Map([
  ['source_missing', 'missing'],
  ['source_unreadable', 'unreadable'],
  ['source_not_mounted', 'not-mounted'],
  ['source_empty', 'empty'],
]);

/** Returns the way to mend the cause of a need, if the window has one. */
export function wayOf(need: Need, state: AppState): Way | undefined {
  if (need.kind === 'folder-missing') return { ...need, kind: 'folder' };
  if (need.kind === 'no-set') return (need.restorable ?? 0) > 0 ? { kind: 'restore' } : undefined;
  if (need.kind === 'destination-missing') return elsewhere(need, state);
  if (need.kind === 'no-backup-for' && isManual(need, state)) return { kind: 'schedule', set: need.set };
  if (need.kind !== 'failed') return undefined;
  const { set, failure } = need;
  if (failure.code === 'destination_missing') return elsewhere(need, state);
  if (failure.code === 'destination_full') return { kind: 'space', set, destination: destinationOf(need, state) };
  const problem = SOURCE.get(failure.code);
  if (!problem) return undefined;
  const roots = state.sets.find(({ name }) => name === set)?.roots ?? [];
  const path = 'path' in failure.details ? failure.details.path : undefined;
  const folder = roots.find((root) => root === path);
  // A set needs at least one folder.
  return folder !== undefined && roots.length > 1
    ? { kind: 'folder', set, folder, problem }
    : { kind: 'folders', set, missed: foldersThatStopped(failure) };
}

function elsewhere(need: Extract<Need, { kind: 'failed' | 'destination-missing' }>, state: AppState): Way | undefined {
  const destination = destinationOf(need, state);
  return destination && { kind: 'destination', destination };
}

/** Returns the destination that a need is about: the one that it names, or the only one. */
function destinationOf(
  { destination }: Extract<Need, { kind: 'failed' | 'destination-missing' }>,
  { destinations }: AppState,
): ConfiguredDestination | undefined {
  return destination ? destinations.find(({ id }) => id === destination.id) : destinations[0];
}
