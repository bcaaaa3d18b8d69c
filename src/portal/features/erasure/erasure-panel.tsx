import { useCallback, useState } from 'react';
import type { ReactElement } from 'react';
import type { Erasure } from '../../../protocol/accounts.ts';
import type { PortalBackupSet } from '../../../protocol/portal/portal.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { Loaded } from '../../../ui/requests/loaded.tsx';
import { useResource } from '../../../ui/requests/use-resource.ts';
import { actionsColumn, DataTable } from '../../../ui/tables/data-table.tsx';
import { backups, devices, erasures } from '../../api/calls.ts';
import { Confirmation } from '../../shared/confirmation.tsx';
import { useLanguage } from '../../strings/language.ts';
import type { Strings } from '../../strings/compiled/portal-en.ts';
import { EraseDialog } from './erase-dialog.tsx';

/** What is to be erased and what was, for owners and admins. Auditors see it. */
export function ErasurePanel({ role }: { readonly role: string }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.erasure;
  const mayErase = role !== 'auditor';
  const found = useResource(
    useCallback(async () => Promise.all([erasures.list(), devices.list(), allSets()] as const), []),
  );
  const [open, setOpen] = useState<'erase' | Erasure>();
  const close = (): void => setOpen(undefined);
  const done = (): void => {
    close();
    found.reload();
  };
  return (
    <Panel title={words.title} actions={mayErase && <Button onPress={() => setOpen('erase')}>{words.begin}</Button>}>
      <p>{words.lead}</p>
      <Loaded resource={found}>
        {([list, { devices: all }, sets]) => (
          <>
            <Erasures erasures={list.erasures} onCancel={mayErase ? setOpen : undefined} />
            {open === 'erase' && (
              <EraseDialog devices={all} sets={sets} mayEraseAccount={role === 'owner'} onDone={done} onClose={close} />
            )}
          </>
        )}
      </Loaded>
      {open !== undefined && open !== 'erase' && (
        <Confirmation
          title={words.cancelOf(nameOf(open, words))}
          body=""
          action={words.cancel}
          isDangerous={false}
          work={() => erasures.cancel(open.id)}
          onDone={done}
          onClose={close}
        />
      )}
    </Panel>
  );
}

async function allSets(): Promise<readonly PortalBackupSet[]> {
  const sets: PortalBackupSet[] = [];
  for (;;) {
    const { backup_sets: page, total } = await backups.sets({ offset: sets.length });
    sets.push(...page);
    if (sets.length >= total || page.length === 0) return sets;
  }
}

interface ErasuresProps {
  readonly erasures: readonly Erasure[];
  /** `undefined` for those who may not. */
  readonly onCancel: ((erasure: Erasure) => void) | undefined;
}

function Erasures({ erasures: list, onCancel }: ErasuresProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.erasure;
  if (list.length === 0) return <p className="ui-soft">{words.none}</p>;
  return (
    <DataTable
      caption={words.title}
      rows={list}
      keyOf={({ id }) => id}
      columns={[
        { id: 'what', label: words.what, cell: (erasure) => nameOf(erasure, words) },
        {
          id: 'due',
          label: words.due,
          cell: ({ due_at: due, erased_at: erased }) =>
            erased === null ? words.dueOn(formats.dateTime(due)) : words.doneOn(formats.dateTime(erased)),
        },
        actionsColumn(
          strings.common.actions,
          (erasure: Erasure) =>
            onCancel &&
            erasure.erased_at === null && (
              <Button kind="quiet" label={words.cancelOf(nameOf(erasure, words))} onPress={() => onCancel(erasure)}>
                {words.cancel}
              </Button>
            ),
        ),
      ]}
    />
  );
}

/** Names what an erasure concerns; only its kind once it is erased. */
function nameOf({ scope, device_name: device, backup_set: set, email }: Erasure, words: Strings['erasure']): string {
  if (scope === 'account') return words.ofAccount;
  if (device !== null && set !== null) return words.ofSet(device, set);
  if (device !== null) return words.ofDevice(device);
  if (email !== null) return words.ofMember(email);
  return words.scopes[scope] ?? scope;
}
