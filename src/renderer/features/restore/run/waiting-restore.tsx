import { useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import type { RestoreRequest } from '../../../../ipc/contract/restore.ts';
import type { AppState, Need } from '../../../../ipc/state.ts';
import { needSentence } from '../../../../strings/state-sentence.ts';
import { call } from '../../../bridge/bridge.ts';
import { FailureNotice } from '../../../shared/failure-notice.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { useAction } from '../../../shared/use-action.ts';
import { useAnswer } from '../../../bridge/use-answer.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { askAgain, useRestore } from '../store/restore-store.ts';

/** How often it is asked whether it still waits for another program, which tells nothing. */
const ASKING = 2_000;

/** The restore that begins when what goes on is through. */
export function WaitingRestore(): ReactElement | null {
  const { strings } = useLanguage();
  const words = strings.restore.waiting;
  const id = useAppState((state) => state.runs[0]?.id);
  const kind = useAppState((state) => state.runs[0]?.kind);
  const set = useAppState((state) => state.runs[0]?.set);
  const hindered = useAppState(hinderedRestore);
  const isAsking = useRestore((held) => held.asking !== undefined);
  const answer = useAnswer('restore.waiting', {});
  const forgetting = useAction();
  const { reload } = answer;
  const isAlone = answer.kind === 'ready' && answer.value.request !== undefined && id === undefined;
  // It is asked when a run begins or ends, and when the dialog that puts one there has closed.
  const occasion = `${id} ${isAsking}`;
  const seen = useRef(occasion);
  useEffect(() => {
    if (seen.current !== occasion) reload();
    seen.current = occasion;
  }, [occasion, reload]);
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
    hindered ? needSentence(hindered, strings) : words.sentence[kind ?? 'other'](asked.set, set ?? '', asked.to);
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

/** One that was left over and waits for more than what this program does. */
function hinderedRestore({ needs }: AppState): Need | undefined {
  return needs.find((need) => need.kind === 'restore-unfinished' && !need.failure);
}
