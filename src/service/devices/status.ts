import type { DeviceActivity } from './device-activity-store.ts';

/**
 * `new`: the device has no backup yet. `warning`: it has contact but does not back up as it should. `alarm`: a run of it looked
 * like ransomware, and nobody has released the account since.
 */
export type DeviceStatus = 'healthy' | 'new' | 'warning' | 'offline' | 'alarm' | 'revoked';

/** Why a device needs somebody, gravest first. `failed` and `late` have the status `warning`. */
export const DEVICE_TROUBLES = ['alarm', 'offline', 'failed', 'late', 'new'] as const;
export type DeviceTrouble = (typeof DEVICE_TROUBLES)[number];

/** Returns the state of a device. Parameters as for `deviceTrouble`. */
export function deviceStatus(device: DeviceActivity, now: number, offlineAfter: number): DeviceStatus {
  if (device.revokedAt !== undefined) return 'revoked';
  const trouble = deviceTrouble(device, now, offlineAfter);
  if (trouble === undefined) return 'healthy';
  return trouble === 'failed' || trouble === 'late' ? 'warning' : trouble;
}

/**
 * Returns why a device needs somebody; `undefined` if it does not, or is revoked. Times in milliseconds.
 *
 * @param offlineAfter maximum time without contact or without a backup
 */
export function deviceTrouble(
  { registeredAt, lastSeen, lastBackup, lastFailure, lastAlarm, revokedAt }: DeviceActivity,
  now: number,
  offlineAfter: number,
): DeviceTrouble | undefined {
  if (revokedAt !== undefined) return undefined;
  if (lastAlarm !== undefined) return 'alarm';
  if (now - lastSeen > offlineAfter) return 'offline';
  if (lastFailure !== undefined && lastFailure > (lastBackup ?? 0)) return 'failed';
  if (now - (lastBackup ?? registeredAt) > offlineAfter) return 'late';
  return lastBackup === undefined ? 'new' : undefined;
}
