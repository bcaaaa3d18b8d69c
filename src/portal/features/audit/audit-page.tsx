import { useCallback, useState } from 'react';
import type { ReactElement } from 'react';
import type { AuditEntry, AuditPage as Entries } from '../../../protocol/portal/audit.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { DataTable } from '../../../ui/tables/data-table.tsx';
import { Empty } from '../../../ui/feedback/empty.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { audit, devices, team } from '../../api/calls.ts';
import { useAction } from '../../../ui/requests/use-action.ts';
import { useResource } from '../../../ui/requests/use-resource.ts';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { Loaded } from '../../../ui/requests/loaded.tsx';
import { Page } from '../../shared/page.tsx';
import { useAddressQuery } from '../../shared/use-address-query.ts';
import { useSettled } from '../../shared/use-settled.ts';
import { useLanguage } from '../../strings/language.ts';
import { auditActor } from './audit-detail.ts';
import type { KnownNames } from './audit-detail.ts';
import { AuditFilters } from './audit-filters.tsx';
import { EntryCell } from './entry-cell.tsx';
import { AUDIT_FIELDS, auditQueryOf, type AuditSearch } from './audit-search.ts';
import './audit.css';

/** People and devices, whose names the entries lack. */
interface Known {
  readonly people: KnownNames;
  readonly devices: KnownNames;
}

/** The log. What it is filtered by is in the address. */
export function AuditPage(): ReactElement {
  const { strings } = useLanguage();
  const words = strings.audit;
  const [search, onSearch] = useAddressQuery(AUDIT_FIELDS);
  const known = useResource(
    useCallback(async (): Promise<Known> => {
      const [{ members }, { devices: all }] = await Promise.all([team.members(), devices.list()]);
      return {
        people: new Map(members.map(({ id, email }) => [id, email])),
        devices: new Map(all.map(({ id, name }) => [id, name])),
      };
    }, []),
  );
  const settled = { ...search, search: useSettled(search.search) };
  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={(['csv', 'jsonl'] as const).map((format) => (
        <a
          key={format}
          className="ui-button"
          data-kind="plain"
          href={audit.exportAddress(auditQueryOf(settled), format)}
          download
        >
          {format === 'csv' ? words.saveCsv : words.saveLines}
        </a>
      ))}
    >
      <Panel title={words.title} isTitleHidden>
        <Loaded resource={known}>
          {({ people, devices: machines }) => (
            <>
              <AuditFilters search={search} people={people} devices={machines} onSearch={onSearch} />
              <AuditLog key={JSON.stringify(settled)} search={settled} names={new Map([...people, ...machines])} />
            </>
          )}
        </Loaded>
      </Panel>
    </Page>
  );
}

interface AuditLogProps {
  readonly search: AuditSearch;
  readonly names: KnownNames;
}

/** @param search stays the same */
function AuditLog({ search, names }: AuditLogProps): ReactElement {
  const [query] = useState(() => auditQueryOf(search));
  const newest = useResource(useCallback(() => audit.page(query), [query]));
  const isFiltered = AUDIT_FIELDS.some((field) => search[field] !== '');
  return (
    <Loaded resource={newest}>
      {(page) => (
        <AuditEntries
          newest={page}
          names={names}
          isFiltered={isFiltered}
          olderThan={(before) => audit.page({ ...query, before })}
        />
      )}
    </Loaded>
  );
}

interface AuditEntriesProps {
  readonly newest: Entries;
  readonly names: KnownNames;
  readonly isFiltered: boolean;
  readonly olderThan: (before: string) => Promise<Entries>;
}

function AuditEntries({ newest, names, isFiltered, olderThan }: AuditEntriesProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.audit;
  const [older, setOlder] = useState<readonly AuditEntry[]>([]);
  const [next, setNext] = useState(newest.next);
  const action = useAction();
  const entries = [...newest.entries, ...older];
  const showOlder = (before: string): void =>
    action.run(async () => {
      const page = await olderThan(before);
      setOlder([...older, ...page.entries]);
      setNext(page.next);
    });
  const isEmpty = entries.length === 0;
  return (
    <>
      {!isEmpty && <EntryTable entries={entries} names={names} />}
      {isEmpty && next === null && (
        <Empty icon={isFiltered ? 'search' : 'audit'} title={isFiltered ? strings.pages.nothing : words.none}>
          {isFiltered ? strings.pages.nothingHint : undefined}
        </Empty>
      )}
      <FailureNotice failure={action.failure} />
      {next === null ? (
        !isEmpty && <p className="ui-soft ui-small">{isFiltered ? words.endOfMatches : words.end}</p>
      ) : (
        <div className="ui-row">
          {isEmpty && <p className="ui-soft">{words.nothingYet}</p>}
          <Button isPending={action.isPending} onPress={() => showOlder(next)}>
            {isFiltered ? words.searchOlder : words.older}
          </Button>
        </div>
      )}
    </>
  );
}

interface EntryTableProps {
  readonly entries: readonly AuditEntry[];
  readonly names: KnownNames;
}

function EntryTable({ entries, names }: EntryTableProps): ReactElement {
  const language = useLanguage();
  const { strings, formats } = language;
  const words = strings.audit;
  return (
    <DataTable
      caption={words.title}
      rows={entries}
      keyOf={({ id }) => id}
      columns={[
        {
          id: 'what',
          label: words.what,
          cell: (entry) => <EntryCell entry={entry} names={names} />,
        },
        { id: 'time', label: words.time, cell: ({ occurred_at: time }) => formats.dateTime(time) },
        { id: 'who', label: words.who, cell: (entry) => auditActor(entry, names, language) },
        { id: 'address', label: words.address, cell: ({ address }) => <code>{address ?? '–'}</code> },
      ]}
    />
  );
}
