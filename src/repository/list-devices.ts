import type { Device } from '../protocol/devices.ts';
import { formatTimestamp } from '../protocol/timestamp.ts';
import type { Point } from './projection/points.ts';
import type { Repository } from './repository.ts';

/** Returns the devices that back up to a repository, and this computer's even if it never did. */
export function listDevices({ projection, device: own, keyState }: Repository): readonly Device[] {
  const newest = new Map<string, Point>();
  for (const point of projection.points.all()) if (!newest.has(point.device)) newest.set(point.device, point);
  // The last computer that continued a device describes it.
  const writers = projection.ledgers.writers().toSorted((a, b) => a.claimedAt - b.claimedAt);
  const latest = new Map(writers.map((writer) => [writer.device, writer]));
  const listed = [...latest.values()].map(({ id: writer, device, name, os, agent, time, isRetired }): Device => {
    const last = newest.get(device);
    return {
      id: device,
      name,
      os,
      agent_version: agent,
      last_backup: last ? formatTimestamp(last.time) : null,
      last_seen: formatTimestamp(time),
      status: isRetired || keyState?.writers.get(writer)?.end ? 'revoked' : last ? 'healthy' : 'new',
    };
  });
  if (latest.has(own.id)) return listed;
  const { id, name, os, agent } = own;
  return [...listed, { id, name, os, agent_version: agent, last_backup: null, status: 'new' }];
}
