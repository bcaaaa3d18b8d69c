import { z } from 'zod';
import { timestamp } from './timestamp.ts';

/** A device never backed up has no `last_backup` yet; a service may send null or leave it out. */
export const device = z.object({
  id: z.string().min(1),
  name: z.string(),
  os: z.string(),
  agent_version: z.string(),
  last_backup: timestamp.nullish(),
  /** Holdfast's own: when the service heard of it last. */
  last_seen: timestamp.nullish(),
  status: z.string(),
});
export type Device = z.infer<typeof device>;

export const deviceList = z.object({ devices: z.array(device) });
export type DeviceList = z.infer<typeof deviceList>;
