import type { ReactElement } from 'react';
import type { View } from '../../../ipc/contract/contract.ts';
import type { AppState } from '../../../ipc/state.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { useAction } from '../../../ui/requests/use-action.ts';
import { Icon } from '../../../ui/icon.tsx';
import { call } from '../../bridge/bridge.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { openRun } from '../../shared/opened-run.ts';
import './needs/need-list.css';

interface ResumedCardProps {
  readonly state: AppState;
  readonly onView: (view: View) => void;
}

/** What came back by a restore that went on by itself, until the person dismisses it. */
export function ResumedCard({ state, onView }: ResumedCardProps): ReactElement | null {
  const { strings, formats } = useLanguage();
  const { run: act, failure } = useAction();
  const { resumedRestore: ended, preferences } = state;
  if (!ended) return null;
  const { resumed, actions } = strings.home;
  const { run, set, files, bytes, filesFailed, to } = ended;
  const hasNothing = files === 0 && ended.outcome === 'failed';
  const title = hasNothing
    ? resumed.failed(set)
    : filesFailed > 0
      ? resumed.partly(set, filesFailed)
      : resumed.title(set);
  return (
    <section className="home-needs">
      <div className="home-need" data-tone={hasNothing || filesFailed > 0 ? 'warning' : 'plain'}>
        <Icon name={hasNothing || filesFailed > 0 ? 'attention' : 'check'} />
        <div className="home-need-text">
          <h2>{title}</h2>
          {!hasNothing && (
            <p>
              {strings.restore.result.done(
                strings.restore.files(files),
                formats.bytes(bytes),
                strings.restore.toPlace(to, files),
              )}
            </p>
          )}
          <div className="home-need-actions">
            <Button
              onPress={() => {
                openRun(run);
                onView('activity');
              }}
            >
              {actions.showRun}
            </Button>
            {to !== null && !hasNothing && (
              <Button onPress={() => act(() => call('shell.show-path', { path: to }))}>
                {strings.restore.result.show}
              </Button>
            )}
            <Button
              onPress={() =>
                act(() => call('preferences.save', { preferences: { ...preferences, dismissedRestore: run } }))
              }
            >
              {actions.dismiss}
            </Button>
          </div>
          <FailureNotice failure={failure} />
        </div>
      </div>
    </section>
  );
}
