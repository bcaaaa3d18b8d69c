import { useCallback, useState } from 'react';
import type { ReactElement } from 'react';
import type { AuditEntry } from '../../../protocol/accounts.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { DataTable } from '../../../ui/tables/data-table.tsx';
import { Empty } from '../../../ui/feedback/empty.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { devices, team } from '../../api/calls.ts';
import { useAction } from '../../../ui/requests/use-action.ts';
import { useResource } from '../../../ui/requests/use-resource.ts';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { Loaded } from '../../../ui/requests/loaded.tsx';
import { Page } from '../../shared/page.tsx';
import { useLanguage } from '../../strings/language.ts';
import { auditActor, auditDetail } from './audit-detail.ts';
import type { KnownNames } from './audit-detail.ts';
import './audit.css';

/** Default page size of the service. */
const PAGE = 50;

export function AuditPage(): ReactElement {
  const { strings } = useLanguage();
  const words = strings.audit;
  const log = useResource(
    useCallback(async () => {
      const [{ entries }, { members }, { devices: all }] = await Promise.all([
        team.audit(),
        team.members(),
        devices.list(),
      ]);
      const people = members.map(({ id, email }) => [id, email] as const);
      return { entries, names: new Map([...people, ...all.map(({ id, name }) => [id, name] as const)]) };
    }, []),
  );
  return (
    <Page title={words.title} lead={words.lead}>
      <Panel title={words.title} isTitleHidden>
        <Loaded resource={log}>
          {({ entries, names }) =>
            entries.length === 0 ? (
              <Empty icon="audit" title={words.none} />
            ) : (
              <AuditEntries newest={entries} names={names} />
            )
          }
        </Loaded>
      </Panel>
    </Page>
  );
}

interface AuditEntriesProps {
  readonly newest: readonly AuditEntry[];
  readonly names: KnownNames;
}

function AuditEntries({ newest, names }: AuditEntriesProps): ReactElement {
  const language = useLanguage();
  const { strings, formats } = language;
  const words = strings.audit;
  const [older, setOlder] = useState<readonly AuditEntry[]>([]);
  const [isEnd, setEnd] = useState(newest.length < PAGE);
  const action = useAction();
  const entries = [...newest, ...older];
  const showOlder = (): void =>
    action.run(async () => {
      const { entries: page } = await team.audit(entries.at(-1)!.id);
      setOlder([...older, ...page]);
      setEnd(page.length < PAGE);
    });
  return (
    <>
      <DataTable
        caption={words.title}
        rows={entries}
        keyOf={({ id }) => id}
        columns={[
          {
            id: 'what',
            label: words.what,
            cell: (entry) => (
              <span className="portal-audit">
                <span>{words.kinds[entry.kind] ?? entry.kind}</span>
                <span className="ui-soft ui-small">{auditDetail(entry, names, language)}</span>
              </span>
            ),
          },
          { id: 'time', label: words.time, cell: ({ occurred_at: time }) => formats.dateTime(time) },
          { id: 'who', label: words.who, cell: (entry) => auditActor(entry, names, language) },
          { id: 'address', label: words.address, cell: ({ address }) => <code>{address ?? '–'}</code> },
        ]}
      />
      <FailureNotice failure={action.failure} />
      {isEnd ? (
        <p className="ui-soft ui-small">{words.end}</p>
      ) : (
        <div>
          <Button isPending={action.isPending} onPress={showOlder}>
            {words.older}
          </Button>
        </div>
      )}
    </>
  );
}
