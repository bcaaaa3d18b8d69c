import type { Device } from '../protocol/devices.ts';
import { formatTimestamp } from '../protocol/timestamp.ts';
import type { Point } from './projection/points.ts';
import type { Repository } from './repository.ts';

/**
 * Returns the devices that back up to a repository, also those of which restore points are left and no segment, and this computer's even
 * if it never did.
 */
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
  const names = projection.ledgers.deviceNames();
  for (const [id, { time }] of newest) {
    if (latest.has(id)) continue;
    const seen = formatTimestamp(time);
    const described = id === own.id ? own : { name: names.get(id) ?? id, os: '', agent: '' };
    listed.push({
      id,
      name: described.name,
      os: described.os,
      agent_version: described.agent,
      last_backup: seen,
      last_seen: seen,
      status: 'healthy',
    });
  }
  if (latest.has(own.id) || newest.has(own.id)) return listed;
  const { id, name, os, agent } = own;
  return [...listed, { id, name, os, agent_version: agent, last_backup: null, status: 'new' }];
}
