import type { DeviceActivity } from '../store/devices/device-activity.ts';

/** `warning`: the device has contact but does not back up as it should. */
export type DeviceStatus = 'healthy' | 'warning' | 'offline' | 'revoked';

/**
 * Returns the state of a device. Times in milliseconds.
 *
 * @param offlineAfter maximum time without contact or without a backup
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
