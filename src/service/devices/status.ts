import type { DeviceActivity } from '../store/devices/device-activity.ts';

/** `warning`: it is heard of, and does not back up as it should. */
export type DeviceStatus = 'healthy' | 'warning' | 'offline' | 'revoked';

/**
 * How a device does. Times in milliseconds.
 *
 * @param offlineAfter for how long a device may be silent, or go without a backup
 */
export function deviceStatus(
  { registeredAt, lastSeen, lastBackup, lastFailure, revokedAt }: DeviceActivity,
  now: number,
  offlineAfter: number,
): DeviceStatus {
  if (revokedAt !== undefined) return 'revoked';
  if (now - lastSeen > offlineAfter) return 'offline';
  const failed = lastFailure !== undefined && lastFailure > (lastBackup ?? 0);
  const late = now - (lastBackup ?? registeredAt) > offlineAfter;
  return failed || late ? 'warning' : 'healthy';
}
