import type { ReactElement } from 'react';
import type { PortalBackupSet } from '../../../protocol/portal/portal.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { actionsColumn, DataTable } from '../../../ui/tables/data-table.tsx';
import { useLanguage } from '../../strings/language.ts';
import { deviceAddress } from '../../use-section.ts';

interface SetTableProps {
  readonly caption: string;
  readonly sets: readonly PortalBackupSet[];
  /** Leaves out the column of the device. */
  readonly isOfOneDevice?: boolean;
  /** Shows the restore points of a set. */
  readonly onShow: (set: PortalBackupSet) => void;
}

/** Backup sets with their newest restore points. */
export function SetTable({ caption, sets, isOfOneDevice = false, onShow }: SetTableProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.backups;
  const device = {
    id: 'device',
    label: words.device,
    cell: ({ device_id: id, device_name: name }: PortalBackupSet) => (
      <a className="portal-leads" href={deviceAddress(id)}>
        {name}
      </a>
    ),
  };
  return (
    <DataTable
      caption={caption}
      rows={sets}
      keyOf={({ device_id: id, name }) => `${id}/${name}`}
      columns={[
        { id: 'name', label: words.set, cell: ({ name }) => <strong>{name}</strong> },
        ...(isOfOneDevice ? [] : [device]),
        {
          id: 'newest',
          label: words.newest,
          cell: ({ last_restore_point: last }) =>
            last === null ? (
              strings.common.never
            ) : (
              <span className="portal-short" title={formats.dateTime(last)}>
                {formats.ago(last)}
              </span>
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
          <Button kind="quiet" label={words.showOf(set.name)} onPress={() => onShow(set)}>
            {words.show}
          </Button>
        )),
      ]}
    />
  );
}
