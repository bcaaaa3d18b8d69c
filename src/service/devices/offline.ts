import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { ServiceContext } from '../context.ts';
import { alertManagers } from '../mail/alert-managers.ts';
import type { DeviceActivity } from './device-activity-store.ts';

const BATCH = 100;

/**
 * Sends `device.offline` once for each device that has been silent for too long. A copy that took over has heard of no device until
 * then, so it waits for as long.
 */
export async function reportOfflineDevices(context: ServiceContext): Promise<void> {
  const { metadata, clock, accountSettings, copyState } = context;
  const now = clock.now();
  const { offlineAfter } = accountSettings;
  if (now - (copyState?.takenOverAt ?? 0) < offlineAfter) return;
  const absence = { before: now - offlineAfter, now, limit: BATCH };
  let reported: number;
  do {
    const offline = new Map<string, DeviceActivity>();
    reported = await metadata.deviceActivity.reportOffline(absence, (device) => {
      offline.set(device.id, device);
      return {
        event: 'device.offline',
        data: {
          device_id: device.id,
          device_name: device.name,
          os: device.os,
          agent_version: device.agentVersion,
          last_backup: device.lastBackup === undefined ? null : formatTimestamp(device.lastBackup),
          last_seen: formatTimestamp(device.lastSeen),
          threshold_seconds: Math.round(offlineAfter / 1000),
        },
      };
    });
    for (const { accountId, name, lastSeen } of offline.values()) {
      await alertManagers(context, accountId, 'offline', (mail) =>
        mail.texts.offline(name, mail.timeText(lastSeen), mail.link()),
      );
    }
  } while (reported === BATCH);
}
