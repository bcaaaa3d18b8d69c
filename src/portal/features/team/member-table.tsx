import type { ReactElement } from 'react';
import type { Member } from '../../../protocol/accounts.ts';
import type { User } from '../../../protocol/auth.ts';
import { Badge } from '../../../ui/feedback/badge.tsx';
import { actionsColumn, DataTable } from '../../../ui/tables/data-table.tsx';
import { RowActions } from '../../../ui/tables/row-actions.tsx';
import type { Named, Selection } from '../../shared/selection/use-selection.ts';
import { useLanguage } from '../../strings/language.ts';

/** A dialog about a member. */
export interface OpenMember {
  readonly kind: 'remove' | 'role' | 'reset' | 'erase' | 'quota';
  readonly member: Member;
}

interface MemberTableProps {
  readonly members: readonly Member[];
  readonly self: User;
  readonly selection: Selection;
  readonly onOpen: (open: OpenMember) => void;
}

export function MemberTable({ members, self, selection, onOpen }: MemberTableProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.team;
  return (
    <DataTable
      caption={words.title}
      rows={members}
      keyOf={({ id }) => id}
      choice={{
        isChoosable: (member) => mayManage(self, member),
        isChosen: ({ id }) => selection.has(id),
        labelOf: ({ email }) => strings.pages.select(email),
        onChoose: (member, isChosen) => selection.choose([namedMember(member)], isChosen),
      }}
      columns={[
        {
          id: 'email',
          label: words.email,
          cell: ({ email, role, created_at: joined }) => (
            <span className="portal-named">
              <strong className="portal-address">{email}</strong>
              <span className="ui-soft ui-small">{`${words.roles[role] ?? role} · ${words.joined(formats.day(joined))}`}</span>
            </span>
          ),
        },
        {
          id: 'mfa',
          label: words.mfa,
          cell: ({ mfa }) =>
            mfa ? <Badge tone="good">{words.mfaOn}</Badge> : <Badge tone="warning">{words.mfaOff}</Badge>,
        },
        {
          id: 'quota',
          label: words.used,
          cell: ({ used_bytes: used, quota_bytes: quota, devices }) => (
            <span className="portal-named">
              <span>
                {quota === null ? formats.bytes(used) : words.usedOf(formats.bytes(used), formats.bytes(quota))}
              </span>
              <span className="ui-soft ui-small">{words.devices(devices)}</span>
            </span>
          ),
        },
        {
          id: 'active',
          label: words.lastActive,
          cell: ({ last_active_at: active }) =>
            active === null ? (
              strings.common.never
            ) : (
              <span className="portal-short" title={formats.dateTime(active)}>
                {formats.ago(active)}
              </span>
            ),
        },
        actionsColumn(strings.common.actions, (member: Member) =>
          member.id === self.id ? (
            <span className="ui-soft">{words.you}</span>
          ) : (
            mayManage(self, member) && (
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

/** Matches the service's rule: owners manage everybody else, admins manage members. */
export function mayManage(self: User, { id, role }: Member): boolean {
  return id !== self.id && (self.role === 'owner' || (self.role === 'admin' && role === 'member'));
}

export function namedMember({ id, email }: Member): Named {
  return { id, name: email };
}
