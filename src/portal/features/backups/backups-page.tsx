import { useState } from 'react';
import type { ReactElement } from 'react';
import type { PortalBackupSet } from '../../../protocol/portal.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { actionsColumn, DataTable } from '../../../ui/tables/data-table.tsx';
import { Empty } from '../../../ui/feedback/empty.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { backups } from '../../api/calls.ts';
import { useResource } from '../../../ui/requests/use-resource.ts';
import { Loaded } from '../../../ui/requests/loaded.tsx';
import { Page } from '../../shared/page.tsx';
import { useLanguage } from '../../strings/language.ts';
import { RestorePoints } from './restore-points.tsx';

/** @param mayManage whether the person may change the retention of restore points */
export function BackupsPage({ mayManage }: { readonly mayManage: boolean }): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.backups;
  const sets = useResource(backups.sets);
  const [shown, setShown] = useState<PortalBackupSet>();
  return (
    <Page title={words.title} lead={words.lead}>
      <Panel title={words.set} isTitleHidden>
        <Loaded resource={sets}>
          {({ backup_sets: all }) =>
            all.length === 0 ? (
              <Empty icon="backups" title={words.none}>
                {words.noneHint}
              </Empty>
            ) : (
              <DataTable
                caption={words.title}
                rows={all}
                keyOf={({ device_id: device, name }) => `${device}/${name}`}
                columns={[
                  { id: 'name', label: words.set, cell: ({ name }) => <strong>{name}</strong> },
                  { id: 'device', label: words.device, cell: ({ device_name: device }) => device },
                  {
                    id: 'newest',
                    label: words.newest,
                    cell: ({ last_restore_point: last }) =>
                      last === null ? (
                        strings.common.never
                      ) : (
                        <span title={formats.dateTime(last)}>{formats.ago(last)}</span>
                      ),
                  },
                  { id: 'files', label: words.files, align: 'end', cell: ({ files }) => formats.number(files) },
                  { id: 'size', label: words.size, align: 'end', cell: ({ bytes }) => formats.bytes(bytes) },
                  {
                    id: 'points',
                    label: words.points,
                    align: 'end',
                    cell: ({ restore_points: points }) => formats.number(points),
                  },
                  actionsColumn(strings.common.actions, (set: PortalBackupSet) => (
                    <Button kind="quiet" label={words.showOf(set.name)} onPress={() => setShown(set)}>
                      {words.show}
                    </Button>
                  )),
                ]}
              />
            )
          }
        </Loaded>
      </Panel>
      {shown && (
        <RestorePoints
          set={shown}
          mayManage={mayManage}
          onClose={() => {
            setShown(undefined);
            sets.reload();
          }}
        />
      )}
    </Page>
  );
}
