import type { ReactElement } from 'react';
import type { AuditEntry } from '../../../protocol/accounts.ts';
import { DataTable } from '../../../renderer/ui/data-table.tsx';
import { Empty } from '../../../renderer/ui/empty.tsx';
import { Panel } from '../../../renderer/ui/panel.tsx';
import { team } from '../../api/calls.ts';
import { useResource } from '../../api/use-resource.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { Page } from '../../shell/page.tsx';
import { useLanguage } from '../../strings/language.ts';

export function AuditPage(): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.audit;
  const list = useResource(team.audit);
  return (
    <Page title={words.title} lead={words.lead}>
      <Panel title={words.title} isTitleHidden>
        <Loaded resource={list}>
          {({ entries }) =>
            entries.length === 0 ? (
              <Empty icon="audit" title={words.none} />
            ) : (
              <DataTable
                caption={words.title}
                rows={entries}
                keyOf={({ id }) => id}
                columns={[
                  { id: 'what', label: words.what, cell: ({ kind }) => <code>{kind}</code> },
                  { id: 'time', label: words.time, cell: ({ occurred_at: time }) => formats.dateTime(time) },
                  { id: 'who', label: words.who, cell: (entry) => actorOf(entry) ?? words.service },
                  { id: 'address', label: words.address, cell: ({ address }) => <code>{address ?? '–'}</code> },
                ]}
              />
            )
          }
        </Loaded>
      </Panel>
    </Page>
  );
}

/** Whoever can be named by something that people know. */
function actorOf({ details, user_id: user, device_id: device }: AuditEntry): string | undefined {
  return details['email'] ?? details['device_name'] ?? user ?? device ?? undefined;
}
