import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { call } from '../../../bridge/bridge.ts';
import { Loaded } from '../../../../ui/requests/loaded.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Panel } from '../../../../ui/layout/panel.tsx';
import { failureOf, useCall } from '../../../bridge/use-call.ts';
import { useAppState } from '../../../bridge/use-app-state.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { leaveAccount, SignInDialog } from '../../account/sign-in-dialog.tsx';
import { SessionList } from './session-list.tsx';

/** The sessions of the account at each service, shown after the person has signed in; nothing without a service. */
export function SessionsPart(): ReactElement {
  const { strings } = useLanguage();
  const words = strings.account;
  const destinations = useAppState((state) => state.destinations) ?? [];
  const services = destinations.filter(({ kind }) => kind === 'service');
  return (
    <>
      {services.map(({ id, name }) => (
        <Panel key={id} title={services.length === 1 ? words.sessions : strings.common.of(words.sessions, name)}>
          <ServiceSessions destination={id} />
        </Panel>
      ))}
    </>
  );
}

interface ServiceProps {
  /** The id of the service. */
  readonly destination: string;
}

function ServiceSessions({ destination }: ServiceProps): ReactElement {
  const { strings } = useLanguage();
  const ways = useCall('account.ways', { destination });
  // The sign-in ends when the view is left.
  useEffect(() => leaveAccount, []);
  return (
    <Loaded resource={ways}>
      {({ hasSessions }) =>
        hasSessions ? (
          <Sessions destination={destination} />
        ) : (
          <p className="ui-soft settings-text">{strings.account.noSessions}</p>
        )
      }
    </Loaded>
  );
}

function Sessions({ destination }: ServiceProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.account;
  const answer = useCall('account.sessions', { destination });
  const [isAsking, setAsking] = useState(false);
  const failure = answer.kind === 'failed' ? failureOf(answer.failure) : undefined;
  if (failure?.code === 'refused' && failure.details.problem === 'no-sessions') {
    return <p className="ui-soft settings-text">{words.noSessions}</p>;
  }
  if (failure?.code !== 'signed_out') {
    return (
      <Loaded resource={answer}>
        {({ email, sessions }) => (
          <SessionList
            destination={destination}
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
  return (
    <>
      <p className="ui-soft settings-text">{words.sessionsAsk}</p>
      <div>
        <Button onPress={() => setAsking(true)}>{words.showSessions}</Button>
      </div>
      {isAsking && (
        <SignInDialog
          destination={destination}
          title={words.showSessionsTitle}
          lead={<p className="ui-soft">{words.notKept}</p>}
          onSigned={() => {
            setAsking(false);
            answer.reload();
          }}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}
