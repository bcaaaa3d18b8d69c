import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ListedDevice } from '../../../ipc/contract/account/devices.ts';
import type { ConfiguredDestination } from '../../../ipc/state.ts';
import { Select } from '../../../ui/choices/select.tsx';
import { Loaded } from '../../../ui/requests/loaded.tsx';
import { Empty } from '../../../ui/feedback/empty.tsx';
import { toast } from '../../../ui/feedback/toast.tsx';
import { useCall } from '../../bridge/use-call.ts';
import { useAppState } from '../../bridge/use-app-state.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { DeviceCard } from './device-card.tsx';
import './devices.css';
import { RemoveDialog } from './remove-dialog.tsx';
import { RevokeDialog } from './revoke-dialog.tsx';
import { VIEW_TITLE } from '../../shared/view-title.ts';

interface DevicesViewProps {
  /** Shows the recovery phrase, which has to be written down. */
  readonly onPhrase: () => void;
}

/** The computers that back up to the same destination, this one first. If there are several destinations, one is chosen. */
export function DevicesView({ onPhrase }: DevicesViewProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.devices;
  const destinations = useAppState((state) => state.destinations) ?? [];
  const [chosen, setChosen] = useState<string>();
  const place = destinations.find(({ id }) => id === chosen) ?? destinations[0];
  return (
    <div className="ui-page ui-page-loose">
      <header className="ui-stack-tight">
        <h1 id={VIEW_TITLE}>{strings.common.views.devices}</h1>
        <p className="ui-soft">{words.intro}</p>
      </header>
      {place && destinations.length > 1 && (
        <div className="devices-place">
          <Select
            label={words.destination}
            options={destinations.map(({ id, name }) => ({ value: id, label: name }))}
            value={place.id}
            onChange={setChosen}
          />
        </div>
      )}
      <Devices key={place?.id} destination={destinations.length > 1 ? place : undefined} onPhrase={onPhrase} />
    </div>
  );
}

interface DevicesProps extends DevicesViewProps {
  /** One of several. */
  readonly destination: ConfiguredDestination | undefined;
}

function Devices({ destination, onPhrase }: DevicesProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.devices;
  const only = useAppState((state) => state.destinations[0]);
  const answer = useCall('devices.list', { destination: destination?.id });
  const [revoking, setRevoking] = useState<ListedDevice>();
  /** It still has the key. */
  const [revoked, setRevoked] = useState<ListedDevice>();
  const isService = (destination ?? only)?.kind === 'service';
  return (
    <>
      <Loaded resource={answer}>
        {({ devices, canRevoke }) => (
          <DeviceLists devices={devices} canRevoke={canRevoke} isService={isService} onRevoke={setRevoking} />
        )}
      </Loaded>
      {revoking && !isService && (
        <RemoveDialog
          device={revoking}
          destination={destination?.id}
          isRevoked={false}
          onDone={onPhrase}
          onClose={() => setRevoking(undefined)}
        />
      )}
      {revoked && (
        <RemoveDialog
          device={revoked}
          destination={destination?.id}
          isRevoked
          onDone={onPhrase}
          onClose={() => setRevoked(undefined)}
        />
      )}
      {revoking && isService && (
        <RevokeDialog
          device={revoking}
          destination={destination?.id}
          onDone={() => {
            toast(words.revoked(revoking.name));
            setRevoking(undefined);
            setRevoked(revoking);
            answer.reload();
          }}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </>
  );
}

interface DeviceListsProps {
  readonly devices: readonly ListedDevice[];
  readonly canRevoke: boolean;
  readonly isService: boolean;
  readonly onRevoke: (device: ListedDevice) => void;
}

function DeviceLists({ devices, canRevoke, isService, onRevoke }: DeviceListsProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.devices;
  const needsPerson = useAppState(({ health }) => health === 'at-risk' || health === 'attention') === true;
  // Home must not say anything else.
  const asHome = (device: ListedDevice): ListedDevice =>
    needsPerson && device.status === 'healthy' ? { ...device, status: 'warning' } : device;
  const own = devices.filter(({ isThisOne }) => isThisOne).map(asHome);
  const others = devices.filter(({ isThisOne }) => !isThisOne);
  return (
    <>
      <section className="ui-stack-tight" aria-label={words.thisOne}>
        <h2 className="ui-group-title">{words.thisOne}</h2>
        <ul className="ui-surface devices-list">
          {own.map((device) => (
            <DeviceCard key={device.id} device={device} isService={isService} />
          ))}
        </ul>
      </section>
      <section className="ui-stack-tight" aria-label={words.others}>
        <h2 className="ui-group-title">{words.others}</h2>
        {others.length === 0 ? (
          <div className="ui-surface devices-list">
            <Empty icon="device" title={words.noOthers}>
              {isService ? words.noOthersService : words.noOthersFolder}
            </Empty>
          </div>
        ) : (
          <ul className="ui-surface devices-list">
            {others.map((device) => (
              <DeviceCard
                key={device.id}
                device={device}
                isService={isService}
                onRevoke={(canRevoke || !isService) && device.status !== 'revoked' ? () => onRevoke(device) : undefined}
              />
            ))}
          </ul>
        )}
        {others.length > 0 && !isService && <p className="ui-hint devices-hint">{words.removeHint}</p>}
      </section>
    </>
  );
}
