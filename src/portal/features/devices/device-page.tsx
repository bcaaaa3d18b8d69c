import { useCallback, useState } from 'react';
import type { ReactElement } from 'react';
import type { PortalBackupSet } from '../../../protocol/portal/portal.ts';
import type { PortalDeviceDetails } from '../../../protocol/portal/portal-devices.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { Badge } from '../../../ui/feedback/badge.tsx';
import { Figure } from '../../../ui/layout/figure.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { Loaded } from '../../../ui/requests/loaded.tsx';
import { useResource } from '../../../ui/requests/use-resource.ts';
import { devices } from '../../api/calls.ts';
import { Page } from '../../shared/page.tsx';
import { useLanguage } from '../../strings/language.ts';
import { sectionAddress } from '../../use-section.ts';
import { RestorePoints } from '../../shared/restore-points/restore-points.tsx';
import { SetTable } from '../../shared/restore-points/set-table.tsx';
import { DeviceDialog } from './device-dialogs.tsx';
import { DeviceHealth } from './device-health.tsx';
import { DeviceRuns } from './device-runs.tsx';
import { deviceTone } from './device-tone.ts';
import './devices.css';

interface DevicePageProps {
  readonly id: string;
  /** Whether the person may change the retention of restore points. */
  readonly mayManage: boolean;
}

/** One device: who set it up, what it backs up, its runs and its health over time. */
export function DevicePage({ id, mayManage }: DevicePageProps): ReactElement {
  const { strings } = useLanguage();
  const known = useResource(useCallback(() => devices.details(id), [id]));
  const [open, setOpen] = useState<'rename' | 'revoke'>();
  const device = known.kind === 'ready' ? known.value.device : undefined;
  const done = (): void => {
    setOpen(undefined);
    known.reload();
  };
  return (
    <Page
      title={device?.name ?? strings.devices.title}
      isLoading={known.kind === 'waiting'}
      back={{ href: sectionAddress('devices'), text: strings.device.all }}
      actions={
        device &&
        device.status !== 'revoked' && (
          <>
            <Button onPress={() => setOpen('rename')}>{strings.devices.rename}</Button>
            <Button onPress={() => setOpen('revoke')}>{strings.devices.revoke}</Button>
          </>
        )
      }
    >
      <Loaded resource={known}>
        {(details) => <Details details={details} mayManage={mayManage} onChanged={known.reload} />}
      </Loaded>
      {open && device && <DeviceDialog kind={open} device={device} onDone={done} onClose={() => setOpen(undefined)} />}
    </Page>
  );
}

interface DetailsProps {
  readonly details: PortalDeviceDetails;
  readonly mayManage: boolean;
  readonly onChanged: () => void;
}

function Details({ details, mayManage, onChanged }: DetailsProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.device;
  const [shown, setShown] = useState<PortalBackupSet>();
  const { backup_sets: sets, more_sets: more, runs, days } = details;
  return (
    <>
      <Facts device={details.device} />
      <Panel title={words.health}>
        <DeviceHealth days={days} />
      </Panel>
      <Panel title={words.sets}>
        {sets.length === 0 ? (
          <p className="ui-soft">{words.noSets}</p>
        ) : (
          <SetTable caption={words.sets} sets={sets} isOfOneDevice onShow={setShown} />
        )}
        {more > 0 && <p className="ui-soft">{words.moreSets(more)}</p>}
      </Panel>
      <Panel title={words.runs}>
        <DeviceRuns runs={runs} />
      </Panel>
      {shown && (
        <RestorePoints
          set={shown}
          mayManage={mayManage}
          onClose={() => {
            setShown(undefined);
            onChanged();
          }}
        />
      )}
    </>
  );
}

function Facts({ device }: { readonly device: PortalDeviceDetails['device'] }): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.devices;
  const { status, os, agent_version: version, last_backup: last, last_seen: seen, registered, owner } = device;
  return (
    <div className="ui-stack">
      <div className="ui-row">
        <Badge tone={deviceTone(status)}>{words.states[status] ?? status}</Badge>
        <span className="ui-soft">
          {os} · Holdfast {version}
        </span>
      </div>
      <div className="ui-figures">
        <Figure label={words.lastBackup} value={last === null ? strings.common.never : formats.ago(last)}>
          {last !== null && <p className="ui-soft ui-small">{formats.dateTime(last)}</p>}
        </Figure>
        <Figure label={words.lastSeen} value={formats.ago(seen)}>
          <p className="ui-soft ui-small">{formats.dateTime(seen)}</p>
        </Figure>
        <Figure label={strings.device.registered} value={formats.day(registered)}>
          {owner !== null && (
            <p className="ui-soft ui-small portal-email">
              {strings.device.owner} {owner}
            </p>
          )}
        </Figure>
      </div>
    </div>
  );
}
