import { useCallback, useState } from 'react';
import type { ReactElement } from 'react';
import { ROLES } from '../../../protocol/accounts.ts';
import type { Invitation, Member } from '../../../protocol/accounts.ts';
import type { User } from '../../../protocol/auth.ts';
import { Badge } from '../../../ui/feedback/badge.tsx';
import { Button } from '../../../ui/buttons/button.tsx';
import { actionsColumn, DataTable } from '../../../ui/tables/data-table.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { team } from '../../api/calls.ts';
import { useResource } from '../../../ui/requests/use-resource.ts';
import { Confirmation } from '../../shared/confirmation.tsx';
import { Loaded } from '../../../ui/requests/loaded.tsx';
import { Page } from '../../shared/page.tsx';
import { ShownOnce } from '../../shared/shown-once.tsx';
import { useLanguage } from '../../strings/language.ts';
import { EraseMemberDialog } from '../erasure/erase-member-dialog.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { QuotaDialog } from './quota-dialog.tsx';
import { RoleDialog } from './role-dialog.tsx';
import { RowActions } from '../../../ui/tables/row-actions.tsx';

/** Roles that an admin may assign. */
const GIVEN_BY_ADMINS = ROLES.filter((role) => role !== 'owner');

type Open =
  | { readonly kind: 'invite' }
  | { readonly kind: 'invited'; readonly address: string; readonly body: string }
  | { readonly kind: 'remove' | 'role' | 'reset' | 'erase' | 'quota'; readonly member: Member };

export function TeamPage({ user }: { readonly user: User }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.team;
  const people = useResource(useCallback(async () => Promise.all([team.members(), team.invitations()]), []));
  const [open, setOpen] = useState<Open>();
  const mayInvite = user.role !== 'auditor';
  const close = (): void => setOpen(undefined);
  const done = (): void => {
    close();
    people.reload();
  };
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        mayInvite && (
          <Button kind="primary" onPress={() => setOpen({ kind: 'invite' })}>
            {words.invite}
          </Button>
        )
      }
    >
      <Loaded resource={people}>
        {([{ members }, { invitations }]) => (
          <>
            <Panel title={words.title} isTitleHidden>
              <Members members={members} self={user} onOpen={setOpen} />
            </Panel>
            {invitations.length > 0 && (
              <Panel title={words.invitations}>
                <Invitations invitations={invitations} mayWithdraw={mayInvite} onChanged={people.reload} />
              </Panel>
            )}
          </>
        )}
      </Loaded>
      {open?.kind === 'invite' && (
        <InviteDialog
          onInvited={({ email, token, mailed, mail_limited: limited }) => {
            people.reload();
            const address = `${location.origin}/#/join?token=${encodeURIComponent(token)}`;
            const text = mailed ? words.invitedByMail : limited === true ? words.invitedUnmailed : words.invitedBody;
            setOpen({ kind: 'invited', address, body: text(email) });
          }}
          onClose={close}
        />
      )}
      {open?.kind === 'invited' && (
        <ShownOnce title={words.invited} body={open.body} value={open.address} onClose={close} />
      )}
      {open?.kind === 'role' && (
        <RoleDialog
          member={open.member}
          roles={user.role === 'owner' ? ROLES : GIVEN_BY_ADMINS}
          onDone={done}
          onClose={close}
        />
      )}
      {open?.kind === 'reset' && (
        <Confirmation
          title={words.resetFactorTitle(open.member.email)}
          body={words.resetFactorBody}
          action={words.resetFactor}
          work={() => team.resetFactors(open.member.id)}
          onDone={done}
          onClose={close}
        />
      )}
      {open?.kind === 'quota' && <QuotaDialog member={open.member} onDone={done} onClose={close} />}
      {open?.kind === 'erase' && <EraseMemberDialog member={open.member} onDone={done} onClose={close} />}
      {open?.kind === 'remove' && (
        <Confirmation
          title={words.removeTitle(open.member.email)}
          body={words.removeBody}
          action={words.remove}
          work={() => team.remove(open.member.id)}
          onDone={done}
          onClose={close}
        />
      )}
    </Page>
  );
}

interface MembersProps {
  readonly members: readonly Member[];
  readonly self: User;
  readonly onOpen: (open: Open) => void;
}

function Members({ members, self, onOpen }: MembersProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.team;
  return (
    <DataTable
      caption={words.title}
      rows={members}
      keyOf={({ id }) => id}
      columns={[
        { id: 'email', label: words.email, cell: ({ email }) => <strong>{email}</strong> },
        { id: 'role', label: words.role, cell: ({ role }) => words.roles[role] ?? role },
        {
          id: 'mfa',
          label: words.mfa,
          cell: ({ mfa }) =>
            mfa ? <Badge tone="good">{words.mfaOn}</Badge> : <Badge tone="warning">{words.mfaOff}</Badge>,
        },
        {
          id: 'quota',
          label: words.used,
          cell: ({ used_bytes: used, quota_bytes: quota }) =>
            quota === null ? formats.bytes(used) : words.usedOf(formats.bytes(used), formats.bytes(quota)),
        },
        { id: 'joined', label: words.joined, cell: ({ created_at: joined }) => formats.day(joined) },
        actionsColumn(strings.common.actions, (member: Member) =>
          member.id === self.id ? (
            <span className="ui-soft">{words.you}</span>
          ) : (
            looksAfter(self.role, member.role) && (
              <RowActions
                actions={[
                  {
                    text: words.changeRole,
                    label: words.changeRoleOf(member.email),
                    onPress: () => onOpen({ kind: 'role', member }),
                  },
                  {
                    text: words.quota,
                    label: words.quotaOf(member.email),
                    onPress: () => onOpen({ kind: 'quota', member }),
                  },
                  ...(member.mfa
                    ? [
                        {
                          text: words.resetFactor,
                          label: words.resetFactorOf(member.email),
                          onPress: () => onOpen({ kind: 'reset', member }),
                        },
                      ]
                    : []),
                  {
                    text: words.remove,
                    label: words.removeOf(member.email),
                    onPress: () => onOpen({ kind: 'remove', member }),
                  },
                  {
                    text: strings.erasure.submit,
                    label: strings.erasure.memberOf(member.email),
                    onPress: () => onOpen({ kind: 'erase', member }),
                  },
                ]}
              />
            )
          ),
        ),
      ]}
    />
  );
}

/** Matches the service's rule: owners manage everybody, admins manage members. */
function looksAfter(own: string, other: string): boolean {
  return own === 'owner' || (own === 'admin' && other === 'member');
}

interface InvitationsProps {
  readonly invitations: readonly Invitation[];
  readonly mayWithdraw: boolean;
  readonly onChanged: () => void;
}

function Invitations({ invitations, mayWithdraw, onChanged }: InvitationsProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.team;
  const [leaving, setLeaving] = useState<Invitation>();
  return (
    <>
      <DataTable
        caption={words.invitations}
        rows={invitations}
        keyOf={({ id }) => id}
        columns={[
          { id: 'email', label: words.email, cell: ({ email }) => email },
          { id: 'role', label: words.role, cell: ({ role }) => words.roles[role] ?? role },
          { id: 'expires', label: words.expires, cell: ({ expires_at: time }) => formats.dateTime(time) },
          actionsColumn(
            strings.common.actions,
            (invitation: Invitation) =>
              mayWithdraw && (
                <Button kind="quiet" label={words.withdrawOf(invitation.email)} onPress={() => setLeaving(invitation)}>
                  {words.withdraw}
                </Button>
              ),
          ),
        ]}
      />
      {leaving && (
        <Confirmation
          title={words.withdrawOf(leaving.email)}
          body={leaving.email}
          action={words.withdraw}
          work={() => team.withdraw(leaving.id)}
          onDone={() => {
            setLeaving(undefined);
            onChanged();
          }}
          onClose={() => setLeaving(undefined)}
        />
      )}
    </>
  );
}
