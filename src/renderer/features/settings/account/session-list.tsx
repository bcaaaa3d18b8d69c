import { useState } from 'react';
import type { ReactElement } from 'react';
import type { AccountSession } from '../../../../ipc/contract/account/account.ts';
import { call } from '../../../bridge/bridge.ts';
import { Badge } from '../../../../ui/feedback/badge.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { ConfirmDialog } from '../../../../ui/dialogs/confirm-dialog.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { programName } from '../../../../ui/program-name.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import '../../account/account.css';

interface SessionListProps {
  /** The id of the service. */
  readonly destination: string;
  readonly email: string;
  readonly sessions: readonly AccountSession[];
  readonly onChanged: () => void;
  readonly onSignOut: () => void;
}

type Ending = { readonly kind: 'one'; readonly session: AccountSession } | { readonly kind: 'others' };

/** The sessions of the account, with buttons that end them. */
export function SessionList({ destination, email, sessions, onChanged, onSignOut }: SessionListProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.account;
  const [ending, setEnding] = useState<Ending>();
  const hasOthers = sessions.some(({ isThisOne }) => !isThisOne);
  return (
    <>
      <ul>
        {sessions.map((session) => (
          <SessionRow key={session.id} session={session} onEnd={() => setEnding({ kind: 'one', session })} />
        ))}
      </ul>
      {!hasOthers && <p className="ui-soft">{words.onlyThis}</p>}
      <div className="ui-between">
        <span className="ui-hint">{words.signedInAs(email)}</span>
        <div className="ui-row">
          <Button kind="quiet" onPress={onSignOut}>
            {words.signOut}
          </Button>
          {hasOthers && <Button onPress={() => setEnding({ kind: 'others' })}>{words.endOthers}</Button>}
        </div>
      </div>
      {ending && (
        <EndDialog
          destination={destination}
          ending={ending}
          onDone={() => {
            setEnding(undefined);
            onChanged();
          }}
          onClose={() => setEnding(undefined)}
        />
      )}
    </>
  );
}

interface SessionRowProps {
  readonly session: AccountSession;
  readonly onEnd: () => void;
}

function SessionRow({ session, onEnd }: SessionRowProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.account;
  const { userAgent, address, createdAt, lastUsedAt, isThisOne } = session;
  const name = programName(userAgent) ?? words.unknownProgram;
  return (
    <li className="ui-item account-session">
      <Icon name="device" />
      <div className="ui-item-text">
        <div className="ui-row">
          <h3 title={userAgent}>{name}</h3>
          {isThisOne && <Badge tone="good">{words.thisOne}</Badge>}
        </div>
        <p className="account-session-facts">
          <span title={formats.dateTime(lastUsedAt)}>{words.lastUsed(formats.ago(lastUsedAt))}</span>
          <span>{words.signedInOn(formats.when(createdAt))}</span>
          {address !== '' && <span>{address}</span>}
        </p>
      </div>
      {!isThisOne && (
        <Button kind="quiet" label={words.endOf(name)} onPress={onEnd}>
          {words.end}
        </Button>
      )}
    </li>
  );
}

interface EndDialogProps {
  readonly destination: string;
  readonly ending: Ending;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

function EndDialog({ destination, ending, onDone, onClose }: EndDialogProps): ReactElement {
  const words = useLanguage().strings.account;
  const isOne = ending.kind === 'one';
  const end = (): Promise<unknown> =>
    isOne
      ? call('account.end-session', { id: ending.session.id, destination })
      : call('account.end-other-sessions', { destination });
  return (
    <ConfirmDialog
      title={
        isOne ? words.endTitle(programName(ending.session.userAgent) ?? words.unknownProgram) : words.endOthersTitle
      }
      confirm={isOne ? words.endDo : words.endOthersDo}
      work={() => end().then(onDone)}
      onClose={onClose}
    >
      <p>{isOne ? words.endText : words.endOthersText}</p>
    </ConfirmDialog>
  );
}
