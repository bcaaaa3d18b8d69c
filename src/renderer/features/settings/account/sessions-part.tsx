import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { call } from '../../../bridge/bridge.ts';
import { Loaded } from '../../../shared/loaded.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { ModalDialog } from '../../../../ui/dialogs/modal-dialog.tsx';
import { Panel } from '../../../../ui/layout/panel.tsx';
import { useAnswer } from '../../../bridge/use-answer.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { SignInForm } from '../../account/sign-in-form.tsx';
import { SessionList } from './session-list.tsx';

/** Where the person is signed in to the account: asked for by somebody who shows that it is theirs. */
export function SessionsPart(): ReactElement | null {
  const { strings } = useLanguage();
  const words = strings.account;
  const kind = useAppState((state) => state.destination?.kind);
  if (kind === undefined) return null;
  return (
    <Panel title={words.sessions}>
      {kind === 'service' ? <ServiceSessions /> : <p className="ui-soft settings-text">{words.noAccount}</p>}
    </Panel>
  );
}

function ServiceSessions(): ReactElement {
  const { strings } = useLanguage();
  const ways = useAnswer('account.ways', {});
  // Nobody stays signed in here who does not look any more.
  useEffect(() => leave, []);
  return (
    <Loaded answer={ways}>
      {({ hasSessions }) =>
        hasSessions ? <Sessions /> : <p className="ui-soft settings-text">{strings.account.noSessions}</p>
      }
    </Loaded>
  );
}

function Sessions(): ReactElement {
  const { strings } = useLanguage();
  const words = strings.account;
  const answer = useAnswer('account.sessions', {});
  const [isAsking, setAsking] = useState(false);
  if (
    answer.kind === 'failed' &&
    answer.failure.code === 'refused' &&
    answer.failure.details.problem === 'no-sessions'
  ) {
    return <p className="ui-soft settings-text">{words.noSessions}</p>;
  }
  if (answer.kind !== 'failed' || answer.failure.code !== 'signed_out') {
    return (
      <Loaded answer={answer}>
        {({ email, sessions }) => (
          <SessionList
            email={email}
            sessions={sessions}
            onChanged={answer.reload}
            onSignOut={() => {
              void call('account.leave', {}).then(answer.reload, answer.reload);
            }}
          />
        )}
      </Loaded>
    );
  }
  const close = (): void => {
    leave();
    setAsking(false);
  };
  return (
    <>
      <p className="ui-soft settings-text">{words.sessionsAsk}</p>
      <div>
        <Button onPress={() => setAsking(true)}>{words.showSessions}</Button>
      </div>
      {isAsking && (
        <ModalDialog title={words.showSessionsTitle} onClose={close}>
          <SignInForm
            lead={<p className="ui-soft">{words.notKept}</p>}
            onSigned={() => {
              setAsking(false);
              answer.reload();
            }}
            onCancel={close}
          />
        </ModalDialog>
      )}
    </>
  );
}

function leave(): void {
  void call('account.leave', {}).catch(() => undefined);
}
