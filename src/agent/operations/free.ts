import { throwIfInterrupted } from '../../jobs/interruption.ts';
import { Collector } from '../../repository/collect/collector.ts';
import type { FreePlan, FreeReport, FreeSpace } from '../../repository/collect/free-space.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import type { NoInput, OperationRun } from '../context/operation-run.ts';
import { withContext } from '../context/open-context.ts';
import { distanceOf } from '../destination/distance.ts';
import { requireSettings } from '../home/settings.ts';
import type { Destination } from '../../model/destination.ts';
import { requireStorage } from './require-storage.ts';
import { MINUTE } from '../../model/units.ts';

export type { LaterSpace } from '../../repository/collect/freed-amounts.ts';
export type { FreePlan, FreeReport } from '../../repository/collect/free-space.ts';

/** What a person decides about space. */
export interface FreeChoice {
  /** Whether the days are waived for which condemned packs wait for other computers. Counts only where there are none. */
  readonly waivesDays: boolean;
}

/** Servers of files and clients of theirs cache names for up to a minute. */
const SHARE_DELAY_MS = MINUTE;
/** Rclone caches names for five seconds. */
const RCLONE_DELAY_MS = 10_000;

/**
 * Finds out what can be freed at the destination. Changes nothing.
 *
 * @throws HoldfastError `usage` `free-of-service`; `home_busy`; `interrupted`; what the store throws
 */
export async function planFreeing(
  parts: AgentParts,
  _input: NoInput = {},
  { signal }: OperationRun = {},
): Promise<FreePlan> {
  return await withFreeSpace(parts, signal, (space) => space.plan(signal));
}

/** Frees what nobody needs at the destination. @throws as `planFreeing`, and HoldfastError `device_cloned`, `key_outdated` */
export async function freeSpace(
  parts: AgentParts,
  { waivesDays }: FreeChoice,
  { signal }: OperationRun = {},
): Promise<FreeReport> {
  return await withFreeSpace(parts, signal, async (space, destination) => {
    const pauseMs = await listingDelayOf(destination);
    return await space.free({ waivesDays, pauseMs, signal });
  });
}

/** Holds the home meanwhile: what a backup has stored and not named yet would be taken for left over. */
async function withFreeSpace<Result>(
  parts: AgentParts,
  signal: AbortSignal | undefined,
  work: (space: FreeSpace, destination: Destination) => Promise<Result>,
): Promise<Result> {
  requireStorage(parts, 'free-of-service');
  const { destination } = requireSettings(parts.home, parts.destination);
  try {
    return await withContext(parts, { job: 'free' }, ({ access }) =>
      work(new Collector(access.repository!).freeSpace, destination),
    );
  } catch (error) {
    throwIfInterrupted(signal);
    throw error;
  }
}

/** Milliseconds by which a listing may be late. */
async function listingDelayOf(destination: Destination): Promise<number> {
  if (destination.kind === 'rclone') return RCLONE_DELAY_MS;
  return (await distanceOf(destination)) === 'share' ? SHARE_DELAY_MS : 0;
}
