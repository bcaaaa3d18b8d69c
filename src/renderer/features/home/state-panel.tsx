import type { ReactElement } from 'react';
import type { AppState } from '../../../ipc/state.ts';
import { copiesWords } from '../../../strings/destinations/copies-sentence.ts';
import { failureSentence } from '../../../strings/failure-sentence.ts';
import { stateWords } from '../../../strings/state-sentence.ts';
import { call } from '../../bridge/bridge.ts';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { HEALTH_STYLES, healthStyle } from '../../shared/health-styles.ts';
import type { HealthStyle } from '../../shared/health-styles.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { useAction } from '../../../ui/requests/use-action.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { offersBackup } from './needs/need-list.tsx';
import { PauseMenu } from './pause-menu.tsx';
import { VIEW_TITLE } from '../../shared/view-title.ts';
import './state-panel.css';

interface StatePanelProps {
  readonly state: AppState;
  readonly now: number;
}

/** The overall state in a sentence and a colour, with the two most frequent actions. */
export function StatePanel({ state, now }: StatePanelProps): ReactElement {
  const language = useLanguage();
  const { strings } = language;
  const action = useAction();
  const { tone, icon } = styleOf(state);
  const { headline, detail } = stateWords(state, language, now);
  // With one destination the headline says it all.
  const copies = state.destinations.length > 1 && !state.damage ? copiesWords(state, language, now) : undefined;
  const [set] = state.sets;
  const isIdle = state.runs.length === 0 && !state.damage && !offersBackup(state);
  return (
    <header className="home-state" data-tone={tone}>
      <span className="home-state-mark" data-turns={tone === 'busy' ? true : undefined}>
        <Icon name={icon} />
      </span>
      <h1 id={VIEW_TITLE}>
        {headline}
        {detail !== undefined && (
          <>
            {/* Without the line break screen readers join the sentences without a pause. */}
            <br /> <span className="home-state-detail">{detail}</span>
          </>
        )}
      </h1>
      {state.damage && <p>{failureSentence(state.damage, language)}</p>}
      {state.sets.length > 0 && !state.damage && (
        <div className="home-actions">
          {isIdle && state.sets.length === 1 && set && (
            <Button
              kind={state.needs.length === 0 ? 'primary' : 'plain'}
              isPending={action.isPending}
              onPress={() => action.run(() => call('runs.backup', { set: set.name }))}
            >
              {strings.common.backUpNow}
            </Button>
          )}
          <PauseMenu pause={state.pause} onChoose={action.run} />
        </div>
      )}
      {copies && (
        <p className="home-copies">
          {copies.advice === undefined ? copies.copies : `${copies.copies} ${copies.advice}`}
        </p>
      )}
      <FailureNotice failure={action.failure} />
    </header>
  );
}

/** A computer that only restores what others have backed up is in no danger. */
function styleOf(state: AppState): HealthStyle {
  const { health, damage, needs } = state;
  if (damage) return HEALTH_STYLES['at-risk'];
  const isOnlyRestoring = health === 'attention' && needs[0]?.kind === 'no-set';
  return isOnlyRestoring ? HEALTH_STYLES['not-set-up'] : healthStyle(state);
}
