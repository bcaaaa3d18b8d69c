import { z } from 'zod';
import { identifier } from './identifier.ts';
import { timestamp } from './timestamp.ts';

/** Services may send `null` for `last_backup` of a device without backups, or omit it. */
export const device = z.object({
  id: identifier,
  name: z.string(),
  os: z.string(),
  agent_version: z.string(),
  last_backup: timestamp.nullish(),
  /** Time of the device's last request; sent by Holdfast's own service only. */
  last_seen: timestamp.nullish(),
  status: z.string(),
});
export type Device = z.infer<typeof device>;

export const deviceList = z.object({ devices: z.array(device) });
export type DeviceList = z.infer<typeof deviceList>;
