import { useCallback, useState } from 'react';
import type { ReactElement } from 'react';
import { LISTED_STATUSES, listedStatus } from '../../../protocol/portal/portal-devices.ts';
import type { ListedStatus, PortalDevice, PortalDevices } from '../../../protocol/portal/portal-devices.ts';
import { NativeSelect } from '../../../ui/fields/native-select.tsx';
import { SearchField } from '../../../ui/fields/search-field.tsx';
import { Badge } from '../../../ui/feedback/badge.tsx';
import { Empty } from '../../../ui/feedback/empty.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { Loaded } from '../../../ui/requests/loaded.tsx';
import { useResource } from '../../../ui/requests/use-resource.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { actionsColumn, DataTable } from '../../../ui/tables/data-table.tsx';
import { RowActions } from '../../../ui/tables/row-actions.tsx';
import { devices } from '../../api/calls.ts';
import { Page } from '../../shared/page.tsx';
import { Pager } from '../../shared/pager.tsx';
import { SelectionBar } from '../../shared/selection/selection-bar.tsx';
import { SeveralDialog } from '../../shared/selection/several-dialog.tsx';
import { useSelection } from '../../shared/selection/use-selection.ts';
import type { Selection } from '../../shared/selection/use-selection.ts';
import { useSettled } from '../../shared/use-settled.ts';
import { useLanguage } from '../../strings/language.ts';
import { deviceAddress } from '../../use-section.ts';
import { DeviceDialog } from './device-dialogs.tsx';
import { deviceTone } from './device-tone.ts';
import './devices.css';

type Open = { readonly kind: 'rename' | 'revoke'; readonly device: PortalDevice };

/** @param status shows only the devices with this one at first */
export function DevicesPage({ status: wanted }: { readonly status?: string | undefined }): ReactElement {
  const { strings } = useLanguage();
  const [search, setSearch] = useState('');
  const [status, setStatus] = useState<ListedStatus | undefined>(listedStatus.safeParse(wanted).data);
  const [offset, setOffset] = useState(0);
  const settled = useSettled(search);
  const list = useResource(
    useCallback(() => devices.page({ search: settled, status, offset }), [settled, status, offset]),
  );
  const [open, setOpen] = useState<Open>();
  const selection = useSelection();
  const [isRevoking, setRevoking] = useState(false);
  const close = (): void => setOpen(undefined);
  const done = (): void => {
    close();
    list.reload();
  };
  return (
    <Page title={strings.devices.title} lead={strings.devices.lead}>
      <Panel title={strings.devices.title} isTitleHidden>
        <Loaded resource={list}>
          {(shown) =>
            isNone(shown) ? (
              <Empty icon="device" title={strings.devices.none}>
                {strings.devices.noneHint}
              </Empty>
            ) : (
              <>
                <div className="portal-filters">
                  <SearchField
                    label={strings.pages.search}
                    value={search}
                    onChange={(text) => {
                      setSearch(text);
                      setOffset(0);
                    }}
                  />
                  <StatusFilter
                    shown={shown}
                    status={status}
                    onStatus={(chosen) => {
                      setStatus(chosen);
                      setOffset(0);
                    }}
                  />
                </div>
                {shown.devices.length === 0 ? (
                  <Empty icon="search" title={strings.pages.nothing}>
                    {strings.pages.nothingHint}
                  </Empty>
                ) : (
                  <div className="portal-lines">
                    <SelectionBar selection={selection} shown={shown.devices.filter(isActive)}>
                      <Button onPress={() => setRevoking(true)}>{strings.devices.revoke}</Button>
                    </SelectionBar>
                    <DeviceTable all={shown.devices} selection={selection} onOpen={setOpen} />
                  </div>
                )}
                <Pager offset={offset} total={shown.total} onOffset={setOffset} />
              </>
            )
          }
        </Loaded>
      </Panel>
      {open && <DeviceDialog {...open} onDone={done} onClose={close} />}
      {isRevoking && (
        <SeveralDialog
          title={strings.devices.revokeSeveral(selection.chosen.length)}
          body={strings.devices.revokeSeveralBody}
          action={strings.devices.revoke}
          rows={selection.chosen}
          work={({ id }) => devices.revoke(id)}
          onDone={(outcome) => {
            selection.choose(outcome.done, false);
            setRevoking(false);
            list.reload();
          }}
          onClose={() => setRevoking(false)}
        />
      )}
    </Page>
  );
}

function isActive({ status }: PortalDevice): boolean {
  return status !== 'revoked';
}

function isNone({ counts }: PortalDevices): boolean {
  return LISTED_STATUSES.every((status) => counts[status] === 0);
}

interface StatusFilterProps {
  readonly shown: PortalDevices;
  readonly status: ListedStatus | undefined;
  readonly onStatus: (status: ListedStatus | undefined) => void;
}

function StatusFilter({ shown: { counts }, status, onStatus }: StatusFilterProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.pages;
  const all = LISTED_STATUSES.reduce((sum, one) => sum + counts[one], 0);
  return (
    <NativeSelect
      label={strings.devices.status}
      value={status ?? ''}
      options={[
        { value: '', label: words.counted(words.everyStatus, formats.number(all)) },
        ...LISTED_STATUSES.filter((one) => counts[one] > 0 || one === status).map((one) => ({
          value: one,
          label: words.counted(strings.devices.states[one] ?? one, formats.number(counts[one])),
        })),
      ]}
      onChange={(value) => onStatus(listedStatus.safeParse(value).data)}
    />
  );
}

interface DeviceTableProps {
  readonly all: readonly PortalDevice[];
  readonly selection: Selection;
  readonly onOpen: (open: Open) => void;
}

function DeviceTable({ all, selection, onOpen }: DeviceTableProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.devices;
  return (
    <DataTable
      caption={words.title}
      rows={all}
      keyOf={({ id }) => id}
      choice={{
        isChoosable: isActive,
        isChosen: ({ id }) => selection.has(id),
        labelOf: ({ name }) => strings.pages.select(name),
        onChoose: (device, isChosen) => selection.choose([device], isChosen),
      }}
      columns={[
        {
          id: 'name',
          label: words.name,
          cell: ({ id, name, os }) => (
            <span className="portal-named">
              <a className="portal-leads" href={deviceAddress(id)}>
                {name}
              </a>
              <span className="ui-soft ui-small">{os}</span>
            </span>
          ),
        },
        {
          id: 'status',
          label: words.status,
          cell: ({ status }) => <Badge tone={deviceTone(status)}>{words.states[status] ?? status}</Badge>,
        },
        {
          id: 'last',
          label: words.lastBackup,
          cell: ({ last_backup: last }) =>
            last === null ? (
              strings.common.never
            ) : (
              <span className="portal-short" title={formats.dateTime(last)}>
                {formats.ago(last)}
              </span>
            ),
        },
        {
          id: 'seen',
          label: words.lastSeen,
          cell: ({ last_seen: seen }) => (
            <span className="portal-short" title={formats.dateTime(seen)}>
              {formats.ago(seen)}
            </span>
          ),
        },
        actionsColumn(
          strings.common.actions,
          (device: PortalDevice) =>
            isActive(device) && (
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
