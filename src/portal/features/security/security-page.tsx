import { useCallback, useState } from 'react';
import type { ReactElement } from 'react';
import type { AccountUser, SignInSession } from '../../../protocol/accounts.ts';
import type { MfaFactor, User } from '../../../protocol/auth.ts';
import { Badge } from '../../../ui/feedback/badge.tsx';
import { Button } from '../../../ui/buttons/button.tsx';
import { actionsColumn, DataTable } from '../../../ui/tables/data-table.tsx';
import { ModalDialog } from '../../../ui/dialogs/modal-dialog.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { accounts } from '../../api/calls.ts';
import { useResource } from '../../../ui/requests/use-resource.ts';
import { Confirmation } from '../../shared/confirmation.tsx';
import { Loaded } from '../../../ui/requests/loaded.tsx';
import { Page } from '../../shared/page.tsx';
import { useLanguage } from '../../strings/language.ts';
import { Codes } from '../entrance/codes.tsx';
import { ErasurePanel } from '../erasure/erasure-panel.tsx';
import { AddFactor } from './add-factor.tsx';
import { PasskeysPanel } from './passkeys-panel.tsx';
import { PasswordPanel } from './password-panel.tsx';
import { programName } from '../../../ui/program-name.ts';
import './security.css';

type Open =
  | { readonly kind: 'add-factor' | 'new-codes' }
  | { readonly kind: 'codes'; readonly codes: readonly string[] }
  | { readonly kind: 'remove-factor'; readonly factor: MfaFactor };

export function SecurityPage({ user: { email, role } }: { readonly user: User }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.security;
  const person = useResource(accounts.user);
  const [open, setOpen] = useState<Open>();
  const close = (): void => setOpen(undefined);
  const done = (): void => {
    close();
    person.reload();
  };
  return (
    <Page title={words.title} lead={words.lead(email)}>
      <Loaded resource={person}>
        {(user) => (
          <>
            {user.has_password && <PasswordPanel email={email} />}
            <Panel
              title={words.factors}
              actions={<Button onPress={() => setOpen({ kind: 'add-factor' })}>{words.addFactor}</Button>}
            >
              <Factors user={user} onRemove={(factor) => setOpen({ kind: 'remove-factor', factor })} />
            </Panel>
            <PasskeysPanel user={user} onChanged={person.reload} />
            <Panel
              title={words.recoveryCodes}
              actions={<Button onPress={() => setOpen({ kind: 'new-codes' })}>{words.newCodes}</Button>}
            >
              <p>{words.codesLeft(user.recovery_codes_left)}</p>
            </Panel>
          </>
        )}
      </Loaded>
      <Sessions />
      {role !== 'member' && <ErasurePanel role={role} />}
      {open?.kind === 'add-factor' && <AddFactor onDone={done} onClose={close} />}
      {open?.kind === 'remove-factor' && (
        <Confirmation
          title={words.removeFactorTitle(open.factor.friendly_name)}
          body={words.lastFactor}
          action={words.removeFactor}
          asksCode
          work={(code) => accounts.removeFactor(open.factor.id, code)}
          onDone={done}
          onClose={close}
        />
      )}
      {open?.kind === 'new-codes' && (
        <Confirmation
          title={words.recoveryCodes}
          body={words.newCodesBody}
          action={words.newCodes}
          asksCode
          isDangerous={false}
          work={async (code) => {
            const { recovery_codes: codes } = await accounts.newRecoveryCodes(code);
            setOpen({ kind: 'codes', codes });
          }}
          onDone={person.reload}
          onClose={close}
        />
      )}
      {open?.kind === 'codes' && (
        <ModalDialog title={strings.entrance.codesTitle} isDismissable={false} onClose={close}>
          <Codes codes={open.codes} onKept={close} />
        </ModalDialog>
      )}
    </Page>
  );
}

interface FactorsProps {
  readonly user: AccountUser;
  readonly onRemove: (factor: MfaFactor) => void;
}

function Factors({ user, onRemove }: FactorsProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.security;
  return (
    <ul className="portal-list">
      {user.factors.map((factor) => (
        <li key={factor.id}>
          <span>{factor.friendly_name}</span>
          {user.factors.length > 1 && (
            <Button kind="quiet" label={words.removeFactorOf(factor.friendly_name)} onPress={() => onRemove(factor)}>
              {words.removeFactor}
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

function Sessions(): ReactElement {
  const { strings } = useLanguage();
  const words = strings.security;
  const list = useResource(accounts.sessions);
  const [ending, setEnding] = useState<SignInSession>();
  const { reload } = list;
  const done = useCallback(() => {
    setEnding(undefined);
    reload();
  }, [reload]);
  return (
    <Panel title={words.sessions}>
      <Loaded resource={list}>{({ sessions }) => <SessionTable sessions={sessions} onEnd={setEnding} />}</Loaded>
      {ending && (
        <Confirmation
          title={words.endSessionOf(programName(ending.user_agent) ?? words.unknownProgram)}
          body={ending.address}
          action={words.endSession}
          work={() => accounts.endSession(ending.id)}
          onDone={done}
          onClose={() => setEnding(undefined)}
        />
      )}
    </Panel>
  );
}

interface SessionTableProps {
  readonly sessions: readonly SignInSession[];
  readonly onEnd: (session: SignInSession) => void;
}

function SessionTable({ sessions, onEnd }: SessionTableProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.security;
  return (
    <DataTable
      caption={words.sessions}
      rows={sessions}
      keyOf={({ id }) => id}
      columns={[
        {
          id: 'program',
          label: words.session,
          cell: ({ user_agent: agent }) => <span title={agent}>{programName(agent) ?? words.unknownProgram}</span>,
        },
        { id: 'address', label: words.address, cell: ({ address }) => <code>{address}</code> },
        { id: 'used', label: words.lastUsed, cell: ({ last_used_at: used }) => formats.ago(used) },
        actionsColumn(strings.common.actions, (session: SignInSession) =>
          session.current ? (
            <Badge tone="good">{words.thisOne}</Badge>
          ) : (
            <Button
              kind="quiet"
              label={words.endSessionOf(programName(session.user_agent) ?? words.unknownProgram)}
              onPress={() => onEnd(session)}
            >
              {words.endSession}
            </Button>
          ),
        ),
      ]}
    />
  );
}
