import type { ReactElement } from 'react';
import type { AppState } from '../../../ipc/state.ts';
import { isOnOneDisk } from '../../../strings/destinations/one-disk.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { useInstallation } from '../../shared/use-installation.ts';
import { AddDestinationButton } from '../destination/add-destination-button.tsx';
import { useLanguage } from '../../shared/use-language.ts';
import './needs/need-list.css';

interface NotesProps {
  readonly state: AppState;
}

/** What a person should know, although nothing is wrong: backups on the disk of the files, and an update that a restart finishes. */
export function Notes({ state }: NotesProps): ReactElement | null {
  const { strings } = useLanguage();
  const { oneDisk, updated } = strings.home;
  const restart = useInstallation();
  const notes = [
    isOnOneDisk(state) && (
      <Note key="disk" title={oneDisk.title} hint={oneDisk.hint}>
        <AddDestinationButton label={oneDisk.add} />
      </Note>
    ),
    state.update?.kind === 'replaced' && (
      <Note key="update" title={updated.title} hint={restart.isHeldUp ? strings.updates.afterRun : updated.hint}>
        <Button isDisabled={state.runs.length > 0} isPending={restart.isPending} onPress={restart.install}>
          {strings.updates.restart}
        </Button>
        <FailureNotice failure={restart.failure} />
      </Note>
    ),
  ].filter((note) => note !== false);
  return notes.length === 0 ? null : <section className="home-needs">{notes}</section>;
}

interface NoteProps {
  readonly title: string;
  readonly hint: string;
  readonly children: ReactElement | readonly ReactElement[];
}

function Note({ title, hint, children }: NoteProps): ReactElement {
  return (
    <div className="home-need" data-tone="plain">
      <Icon name="info" />
      <div className="home-need-text">
        <h2>{title}</h2>
        <p>{hint}</p>
      </div>
      {children}
    </div>
  );
}
