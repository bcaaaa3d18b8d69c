import { memo } from 'react';
import type { ReactElement } from 'react';
import type { View } from '../../../ipc/contract/contract.ts';
import type { AppState, SetState } from '../../../ipc/state.ts';
import { decisionSentence, latenessSentence, verificationSentence } from '../../../strings/decision-sentence.ts';
import { agoWords } from '../../../strings/state-sentence.ts';
import type { Language } from '../../../strings/strings.ts';
import { call } from '../../bridge/bridge.ts';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { Button } from '../../../ui/buttons/button.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { useAction } from '../../../ui/requests/use-action.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { openSet } from '../sets/open-set.ts';

interface SetLinesProps {
  readonly sets: AppState['sets'];
  /** No run is active, so each set has a button. */
  readonly isIdle: boolean;
  readonly now: number;
  readonly onView: (view: View) => void;
}

/** A line for each set: its last backup and its next one. */
export const SetLines = memo(function SetLines({ sets, isIdle, now, onView }: SetLinesProps): ReactElement {
  const { strings } = useLanguage();
  const action = useAction();
  const all = (
    <Button isPending={action.isPending} onPress={() => action.run(() => call('runs.backup-all', {}))}>
      {strings.home.sets.all}
    </Button>
  );
  return (
    <Panel title={strings.home.sets.title} {...(isIdle && sets.length > 1 ? { actions: all } : {})}>
      <FailureNotice failure={action.failure} />
      <ul className="home-sets">
        {sets.map((set) => (
          <SetLine key={set.name} set={set} now={now} canBegin={isIdle && sets.length > 1} onView={onView} />
        ))}
      </ul>
    </Panel>
  );
});

interface SetLineProps {
  readonly set: SetState;
  readonly now: number;
  readonly canBegin: boolean;
  readonly onView: (view: View) => void;
}

function SetLine({ set, now, canBegin, onView }: SetLineProps): ReactElement {
  const language = useLanguage();
  const { strings, formats } = language;
  const words = strings.home.sets;
  const action = useAction();
  const check = set.verification && verificationSentence(set.verification, language, now);
  const late = latenessSentence(set, language);
  return (
    <li className="home-set">
      <div className="home-set-text">
        <h3>
          <button
            type="button"
            className="home-set-name"
            onClick={() => action.run((isShown) => openSet({ set: set.name, isShown, onView }))}
          >
            {set.name}
          </button>
        </h3>
        <p>{decisionSentence(set.decision, language, now)}</p>
        <Facts parts={[lastOf(set, language, now), late, check, set.isResumable ? words.resumable : undefined]} />
        <FailureNotice failure={action.failure} />
      </div>
      {set.lastPoint && (
        <p className="home-set-size ui-small ui-soft ui-number">
          {words.holds(set.lastPoint.files, formats.bytes(set.lastPoint.bytes))}
        </p>
      )}
      {canBegin && (
        <Button
          label={strings.home.actions.backUpSet(set.name)}
          isPending={action.isPending}
          onPress={() => action.run(() => call('runs.backup', { set: set.name }))}
        >
          {strings.common.backUpNow}
        </Button>
      )}
    </li>
  );
}

/** Facts in one line, which breaks between them. The style separates those in one line. */
function Facts({ parts }: { readonly parts: readonly (string | undefined)[] }): ReactElement {
  return (
    <p className="ui-soft ui-small home-set-facts">
      {parts
        .filter((part) => part !== undefined)
        .map((part) => (
          <span key={part}>{part}</span>
        ))}
    </p>
  );
}

function lastOf(set: SetState, language: Language, now: number): string {
  const words = language.strings.home.sets;
  const { lastBackup, lastPoint } = set;
  if (!lastBackup) return lastPoint ? words.last(agoWords(lastPoint.at, language, now)) : words.never;
  const ago = agoWords(lastBackup.endedAt, language, now);
  switch (lastBackup.outcome) {
    case 'succeeded':
    case 'warnings':
      return words.last(ago);
    case 'failed':
      return words.lastFailed(ago);
    case 'cancelled':
    case 'interrupted':
      return words.lastCancelled(ago);
  }
}
