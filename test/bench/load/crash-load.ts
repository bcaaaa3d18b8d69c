import { setTimeout as sleep } from 'node:timers/promises';
import { BackupLoad } from './backup-load.ts';
import type { LoadClient, LoadDevice } from './client.ts';
import type { ServiceFleet } from './service-fleet.ts';
import { count, printTable } from './table.ts';

/**
 * Runs backups of many devices at once while processes of the service are killed and restarted one after the other, and
 * then restores and compares everything.
 *
 * @param lasting the uptime of the service in seconds, over all its processes
 */
export async function measureCrashes(
  service: ServiceFleet,
  client: LoadClient,
  devices: readonly LoadDevice[],
  lasting: number,
  kills: number,
): Promise<boolean> {
  const load = await BackupLoad.start(client, devices);
  // Only uptime counts: on a busy machine a start takes long.
  const pause = (lasting * 1000) / (kills + 1);
  for (let kill = 0; kill < kills; kill += 1) {
    await sleep(pause);
    await service.killNext();
  }
  await sleep(pause);
  await load.end();

  // Only data on disk counts, not the memory of a process.
  await service.killAll();
  await service.startAll();
  const found = await load.check();
  printTable(
    `${devices.length} devices, ${service.urls.length} processes, ${lasting} s, kill -9 ${kills} times and once at the end`,
    ['what', 'number'],
    [
      ['runs that were begun', count(load.begun)],
      ['restore points that were acknowledged', count(load.acknowledged)],
      ['requests that had to be repeated', count(load.retries)],
      ['restore points that are there', count(found.points)],
      ['blobs that were fetched and compared', count(found.blobs)],
      ['acknowledged and lost', count(found.lost.length)],
      ['there and not whole', count(found.half.length)],
    ],
  );
  for (const what of [...found.lost, ...found.half].slice(0, 20)) console.log(what);
  return found.lost.length + found.half.length === 0 && load.acknowledged > 0;
}
