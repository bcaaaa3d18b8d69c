import { useCallback, useState } from 'react';
import type { ReactElement } from 'react';
import { ROLES } from '../../../protocol/accounts.ts';
import type { Invitation } from '../../../protocol/accounts.ts';
import type { User } from '../../../protocol/auth.ts';
import { Empty } from '../../../ui/feedback/empty.tsx';
import { Button } from '../../../ui/buttons/button.tsx';
import { actionsColumn, DataTable } from '../../../ui/tables/data-table.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { team } from '../../api/calls.ts';
import { useResource } from '../../../ui/requests/use-resource.ts';
import { Confirmation } from '../../shared/confirmation.tsx';
import { Loaded } from '../../../ui/requests/loaded.tsx';
import { Page } from '../../shared/page.tsx';
import { Pager } from '../../shared/pager.tsx';
import { SelectionBar } from '../../shared/selection/selection-bar.tsx';
import { SeveralDialog } from '../../shared/selection/several-dialog.tsx';
import { useSelection } from '../../shared/selection/use-selection.ts';
import { ShownOnce } from '../../shared/shown-once.tsx';
import { useAddressQuery } from '../../shared/use-address-query.ts';
import { useSettled } from '../../shared/use-settled.ts';
import { useLanguage } from '../../strings/language.ts';
import { EraseMemberDialog } from '../erasure/erase-member-dialog.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { chosenIn, MemberFilters, TEAM_FIELDS } from './member-filters.tsx';
import { mayManage, MemberTable, namedMember, type OpenMember } from './member-table.tsx';
import { QuotaDialog } from './quota-dialog.tsx';
import { RoleDialog } from './role-dialog.tsx';

/** Roles that an admin may assign. */
const GIVEN_BY_ADMINS = ROLES.filter((role) => role !== 'owner');

type Open =
  | { readonly kind: 'invite' | 'remove-several' }
  | { readonly kind: 'invited'; readonly address: string; readonly body: string }
  | OpenMember;

export function TeamPage({ user }: { readonly user: User }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.team;
  const [query, onQuery] = useAddressQuery(TEAM_FIELDS);
  const [offset, setOffset] = useState(0);
  const { show, sort } = query;
  const search = useSettled(query.search);
  const people = useResource(
    useCallback(async () => {
      const members = team.page({ search: search.slice(0, 200), ...chosenIn({ show, sort }), offset });
      return Promise.all([members, team.invitations()]);
    }, [search, show, sort, offset]),
  );
  const [open, setOpen] = useState<Open>();
  const selection = useSelection();
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
        {([page, { invitations }]) => (
          <>
            <Panel title={words.title} isTitleHidden>
              <MemberFilters
                page={page}
                query={query}
                onQuery={(change) => {
                  onQuery(change);
                  setOffset(0);
                }}
              />
              {page.members.length === 0 ? (
                <Empty icon="search" title={strings.pages.nothing}>
                  {strings.pages.nothingHint}
                </Empty>
              ) : (
                <>
                  {mayInvite && (
                    <SelectionBar
                      selection={selection}
                      shown={page.members.filter((member) => mayManage(user, member)).map(namedMember)}
                    >
                      <Button onPress={() => setOpen({ kind: 'remove-several' })}>{words.remove}</Button>
                    </SelectionBar>
                  )}
                  <MemberTable members={page.members} self={user} selection={selection} onOpen={setOpen} />
                </>
              )}
              <Pager offset={offset} total={page.total} onOffset={setOffset} />
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
      {open?.kind === 'remove-several' && (
        <SeveralDialog
          title={words.removeSeveral(selection.chosen.length)}
          body={words.removeBody}
          action={words.remove}
          rows={selection.chosen}
          work={({ id }) => team.remove(id)}
          onDone={(outcome) => {
            selection.choose(outcome.done, false);
            done();
          }}
          onClose={close}
        />
      )}
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
          body={words.withdrawBody}
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
