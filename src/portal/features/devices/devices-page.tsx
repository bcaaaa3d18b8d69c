import { useState } from 'react';
import type { ReactElement } from 'react';
import type { Device } from '../../../protocol/devices.ts';
import { Badge } from '../../../ui/feedback/badge.tsx';
import { actionsColumn, DataTable } from '../../../ui/tables/data-table.tsx';
import { Empty } from '../../../ui/feedback/empty.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { devices } from '../../api/calls.ts';
import { useResource } from '../../../ui/requests/use-resource.ts';
import { Loaded } from '../../../ui/requests/loaded.tsx';
import { Page } from '../../shared/page.tsx';
import { Confirmation } from '../../shared/confirmation.tsx';
import { formText } from '../../shared/form-text.ts';
import { useLanguage } from '../../strings/language.ts';
import { deviceTone } from './device-tone.ts';
import { FormDialog } from '../../../ui/dialogs/form-dialog.tsx';
import { RowActions } from '../../../ui/tables/row-actions.tsx';

type Open = { readonly kind: 'rename' | 'revoke'; readonly device: Device };

export function DevicesPage(): ReactElement {
  const { strings } = useLanguage();
  const list = useResource(devices.list);
  const [open, setOpen] = useState<Open>();
  const close = (): void => setOpen(undefined);
  const done = (): void => {
    close();
    list.reload();
  };
  return (
    <Page title={strings.devices.title} lead={strings.devices.lead}>
      <Panel title={strings.devices.title} isTitleHidden>
        <Loaded resource={list}>
          {({ devices: all }) =>
            all.length === 0 ? (
              <Empty icon="device" title={strings.devices.none}>
                {strings.devices.noneHint}
              </Empty>
            ) : (
              <DeviceTable all={all} onOpen={setOpen} />
            )
          }
        </Loaded>
      </Panel>
      {open?.kind === 'rename' && <RenameDialog device={open.device} onDone={done} onClose={close} />}
      {open?.kind === 'revoke' && (
        <Confirmation
          title={strings.devices.revokeTitle(open.device.name)}
          body={strings.devices.revokeBody}
          action={strings.devices.revoke}
          work={() => devices.revoke(open.device.id)}
          onDone={done}
          onClose={close}
        />
      )}
    </Page>
  );
}

interface DeviceTableProps {
  readonly all: readonly Device[];
  readonly onOpen: (open: Open) => void;
}

function DeviceTable({ all, onOpen }: DeviceTableProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.devices;
  return (
    <DataTable
      caption={words.title}
      rows={all}
      keyOf={({ id }) => id}
      columns={[
        { id: 'name', label: words.name, cell: ({ name }) => <strong>{name}</strong> },
        {
          id: 'status',
          label: words.status,
          cell: ({ status }) => <Badge tone={deviceTone(status)}>{words.states[status] ?? status}</Badge>,
        },
        {
          id: 'last',
          label: words.lastBackup,
          cell: ({ last_backup: last }) =>
            last ? <span title={formats.dateTime(last)}>{formats.ago(last)}</span> : strings.common.never,
        },
        {
          id: 'seen',
          label: words.lastSeen,
          cell: ({ last_seen: seen }) =>
            seen ? <span title={formats.dateTime(seen)}>{formats.ago(seen)}</span> : strings.common.never,
        },
        { id: 'system', label: words.system, cell: ({ os }) => os },
        { id: 'version', label: words.version, cell: ({ agent_version: version }) => version },
        actionsColumn(
          strings.common.actions,
          (device: Device) =>
            device.status !== 'revoked' && (
              <RowActions
                actions={[
                  {
                    text: words.rename,
                    label: words.renameOf(device.name),
                    onPress: () => onOpen({ kind: 'rename', device }),
                  },
                  {
                    text: words.revoke,
                    label: words.revokeOf(device.name),
                    onPress: () => onOpen({ kind: 'revoke', device }),
                  },
                ]}
              />
            ),
        ),
      ]}
    />
  );
}

interface RenameDialogProps {
  readonly device: Device;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

function RenameDialog({ device, onDone, onClose }: RenameDialogProps): ReactElement {
  const { strings } = useLanguage();
  return (
    <FormDialog
      title={strings.devices.renameOf(device.name)}
      submit={strings.common.save}
      work={(form) => devices.rename(device.id, formText(form, 'name')).then(onDone)}
      onClose={onClose}
    >
      <TextField
        label={strings.devices.name}
        name="name"
        defaultValue={device.name}
        maxLength={200}
        takesFocus
        isRequired
      />
    </FormDialog>
  );
}
