import { BackupLoad } from '../../../bench/load/backup-load.ts';
import { acknowledged, FAULTS, type Fault } from './faults.ts';
import { ServiceWorld } from './service-world.ts';

/** What one fault did to a service in two processes. */
export interface FaultResult {
  readonly fault: string;
  readonly begun: number;
  readonly acknowledged: number;
  /** Acknowledged restore points that are not there, and those that are there but incomplete. */
  readonly lost: readonly string[];
  /** Requests that had to be sent again. */
  readonly repeated: number;
  /** Responses of 5xx other than 503 with `Retry-After`, and 507. */
  readonly unexpected: readonly string[];
  /** Processes that run afterwards. */
  readonly alive: number;
}

/**
 * Breaks the parts of a service in two processes while devices back up to it, one part after the other. Devices repeat their
 * requests, as the agent does; then every restore point is restored and compared.
 */
export async function runServiceFaultCampaign(options: {
  readonly devices: number;
  /** How often each fault happens. */
  readonly runs?: number;
  /** Names of the faults, or parts of them; all by default. */
  readonly only?: readonly string[];
  readonly onResult?: (result: FaultResult) => void;
}): Promise<readonly FaultResult[]> {
  const { devices, runs = 1, only, onResult } = options;
  const chosen = FAULTS.filter(({ name }) => only === undefined || only.some((part) => name.includes(part)));
  await using world = await ServiceWorld.start(
    devices,
    chosen.some(({ needsDisk }) => needsDisk),
  );
  const results: FaultResult[] = [];
  for (const fault of chosen) {
    if (fault.needsDisk && !world.disk) continue;
    const result = await resultOf(fault, world, runs);
    results.push(result);
    onResult?.(result);
  }
  return results;
}

async function resultOf(fault: Fault, world: ServiceWorld, runs: number): Promise<FaultResult> {
  const load = await BackupLoad.start(world.client, world.devices);
  try {
    for (let run = 0; run < runs; run += 1) {
      await acknowledged(load);
      await fault.happen(world, load);
      await acknowledged(load);
    }
  } finally {
    await load.end();
  }
  const { alive } = world;
  const found = await load.check();
  const { begun, retries, unexpected } = load;
  const lost = [...found.lost, ...found.half];
  return { fault: fault.name, begun, acknowledged: load.acknowledged, lost, repeated: retries, unexpected, alive };
}

/** Returns the results as a table for people. */
export function faultTable(results: readonly FaultResult[]): string {
  const head = ['fault', 'begun', 'acknowledged', 'lost', 'repeated', 'unexpected', 'alive'];
  const rows = results.map(({ fault, begun, acknowledged: done, lost, repeated, unexpected, alive }) =>
    [fault, begun, done, lost.length, repeated, unexpected.length, alive].map(String),
  );
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  return all
    .map((row) => row.map((cell, at) => (at === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[at]!))).join('  '))
    .join('\n');
}
