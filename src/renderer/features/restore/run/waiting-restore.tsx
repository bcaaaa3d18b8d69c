import { useEffect } from 'react';
import type { ReactElement } from 'react';
import type { RestoreRequest } from '../../../../model/restore-request.ts';
import type { AppState } from '../../../../ipc/state.ts';
import type { Need } from '../../../../model/need.ts';
import { needSentence } from '../../../../strings/state-sentence.ts';
import { call } from '../../../bridge/bridge.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useCall } from '../../../bridge/use-call.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { askAgain, useRestore } from '../store/restore-store.ts';
import { useOnChange } from '../../../shared/use-on-change.ts';

/** Milliseconds between two requests while it waits for another program, which sends no event. */
const ASKING = 2_000;

/** A restore that starts after the active run. */
export function WaitingRestore(): ReactElement | null {
  const { strings } = useLanguage();
  const words = strings.restore.waiting;
  const id = useAppState((state) => state.runs[0]?.id);
  const kind = useAppState((state) => state.runs[0]?.kind);
  const set = useAppState((state) => state.runs[0]?.set);
  const hindered = useAppState(hinderedRestore);
  const isAsking = useRestore((held) => held.asking !== undefined);
  const answer = useCall('restore.waiting', {});
  const forgetting = useAction();
  const { reload } = answer;
  const isAlone = answer.kind === 'ready' && answer.value.request !== undefined && id === undefined;
  // A run that starts or ends changes it, and so does the dialog that schedules a restore.
  useOnChange(`${id} ${isAsking}`, reload);
  useEffect(() => {
    if (!isAlone) return undefined;
    const timer = setInterval(reload, ASKING);
    return () => clearInterval(timer);
  }, [isAlone, reload]);
  if (answer.kind !== 'ready') return null;
  const { request, failure, stopped } = answer.value;
  const forget = (): void => forgetting.run(() => call('restore.forget', {}).then(reload));
  if (!request && !failure) return null;
  const sentence = (asked: RestoreRequest): string =>
    hindered
      ? needSentence(hindered, strings)
      : words.sentence[kind ?? 'other'](asked.set, set ?? '', strings.restore.toPlace(asked.to, 1));
  return (
    <Notice tone={failure ? 'warning' : 'plain'}>
      <div className="restore-waiting">
        <p>{request ? sentence(request) : words.failed}</p>
        {!request && stopped && <Button onPress={() => askAgain(stopped)}>{strings.home.actions.restoreAgain}</Button>}
        <Button kind="quiet" isPending={forgetting.isPending} onPress={forget}>
          {request ? words.forget : strings.common.close}
        </Button>
      </div>
      <FailureNotice failure={failure ?? forgetting.failure} />
    </Notice>
  );
}

/** Returns the need of an interrupted restore that waits for something outside of this program. */
function hinderedRestore({ needs }: AppState): Need | undefined {
  return needs.find((need) => need.kind === 'restore-unfinished' && !need.failure);
}
