import type { ReactElement } from 'react';
import type { ListedDevice } from '../../../ipc/contract/account/devices.ts';
import { Badge } from '../../../ui/feedback/badge.tsx';
import { Button } from '../../../ui/buttons/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import type { Tone } from '../../../ui/theme/tone.ts';
import type { Formats } from '../../../strings/formats.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { DAY } from '../../../model/units.ts';

interface DeviceCardProps {
  readonly device: ListedDevice;
  /** A service revokes a device; elsewhere it is removed by a new key. */
  readonly isService: boolean;
  /** `undefined` if the device cannot be revoked. */
  readonly onRevoke?: (() => void) | undefined;
}

const TONES: Readonly<Record<string, Tone>> = {
  healthy: 'good',
  new: 'warning',
  warning: 'warning',
  offline: 'warning',
  alarm: 'bad',
  revoked: 'plain',
};

export function DeviceCard({ device, isService, onRevoke }: DeviceCardProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.devices;
  const { name, platform, status, isThisOne, lastBackup, lastSeen } = device;
  const said = (words.statuses as Readonly<Record<string, string>>)[status ?? ''];
  const times: readonly (readonly [string, string | undefined])[] = [
    [words.lastBackup, lastBackup],
    // Not every service reports it.
    ...(isThisOne || lastSeen === undefined ? [] : [[words.lastSeen, lastSeen] as const]),
  ];
  return (
    <li className="ui-item devices-card">
      <Icon name="device" />
      <div className="ui-item-text">
        <div className="ui-row">
          <h3>{name}</h3>
          {said !== undefined && <Badge tone={TONES[status ?? ''] ?? 'plain'}>{said}</Badge>}
        </div>
        {platform !== undefined && <p className="ui-hint">{platform}</p>}
        <dl className="devices-times">
          {times.map(([label, time]) => (
            <div key={label}>
              <dt className="ui-soft">{label}</dt>
              <dd title={time === undefined ? undefined : formats.dateTime(time)}>
                {time === undefined ? words.never : lastTime(time, formats)}
              </dd>
            </div>
          ))}
        </dl>
      </div>
      {onRevoke && (
        <Button kind="quiet" label={isService ? words.revokeOf(name) : words.removeOf(name)} onPress={onRevoke}>
          {isService ? words.revoke : words.remove}
        </Button>
      )}
    </li>
  );
}

/** Formats a time relative to now if it is within the last day. */
function lastTime(time: string, formats: Formats): string {
  return Date.now() - Date.parse(time) < DAY ? formats.ago(time) : formats.when(time);
}
