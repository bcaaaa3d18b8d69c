import { Catalog } from '../../../catalog/catalog.ts';
import type { RestoreSource, RestoreTime } from '../../../model/restore-request.ts';
import type { RunWarning } from '../../../jobs/run-warning.ts';
import { newestUntil } from '../../../base/point-time.ts';
import { formatTimestamp } from '../../../protocol/timestamp.ts';
import type { AgentParts } from '../../context/agent-parts.ts';
import type { SetReference } from '../../context/set-source.ts';
import { DAY } from '../../../model/units.ts';
import { distanceOf, type Distance } from '../../destination/distance.ts';
import { requireStoredSettings, type StoredSettings } from '../../home/settings.ts';
import type { DestinationEntry } from '../../home/destination-entry.ts';
import { contentAt, hiddenAt, pointAt, type PointContent } from './probe-destinations.ts';
import { nearestFirst, rankDestinations, type Candidate } from './rank-destinations.ts';

/**
 * By how much the same run may end later at one destination than at another. A restore point that is without something gives way to one that is older
 * by no more, and has it; one from long before may lack what is newer.
 */
const LONGEST_RUN_MS = DAY;

export interface ReadRequest extends SetReference {
  readonly at: RestoreTime;
}

/** A destination to read from, with the others that have chunks. */
export interface ChosenDestination {
  readonly entry: DestinationEntry;
  /** Asked before the chosen one, which has a newer restore point. */
  readonly nearer: readonly DestinationEntry[];
  /** Asked for what the chosen one lacks, nearest first. */
  readonly others: readonly DestinationEntry[];
  readonly notes: ReadingNotes;
  /** Destinations that answered with an older restore point than the newest that is known to be there. */
  readonly hidden: readonly HiddenPoints[];
}

/** What the list of a set at a destination may hide. */
export interface HiddenPoints {
  /** That of the destination. */
  readonly id: string;
  readonly warnings: readonly RunWarning[];
}

/** What a person should know of the choice. */
export interface ReadingNotes {
  /** Name of the destination whose restore point it is. `undefined` if there is only one. */
  readonly destination?: string;
  /** A nearer one, whose newest restore point is older. */
  readonly olderAt?: DatedDestination;
  /** One that is not at hand and has a newer restore point. */
  readonly newerAt?: DatedDestination;
  /** Name of one whose restore point cannot be read. */
  readonly unreadableAt?: string;
  /** One that has a newer restore point, without what could not be read when that was made. */
  readonly incompleteAt?: DatedDestination;
}

export interface DatedDestination {
  readonly destination: string;
  /** ISO 8601. */
  readonly restorePoint: string;
}

/**
 * Chooses the destination that a set is read from: the one that was named, else the nearest that is at hand and has the newest
 * restore point of the wanted time.
 *
 * @throws HoldfastError `not_set_up`, `destination_unknown`
 */
export async function chooseDestination(
  parts: AgentParts,
  request: ReadRequest,
  signal?: AbortSignal,
): Promise<ChosenDestination> {
  const stored = requireStoredSettings(parts.home);
  const entries = stored.destinations;
  const [first] = entries;
  if (entries.length === 1 || !first) return { entry: entries[0]!, nearer: [], others: [], notes: {}, hidden: [] };
  const placed = await Promise.all(
    entries.map(async (entry) => ({ entry, distance: await distanceOf(entry.destination) })),
  );
  const sorted = nearestFirst(placed);
  const given = parts.destination === undefined ? undefined : entries.find(({ id }) => id === parts.destination);
  const choice = given ? { chosen: given } : await choose(parts, stored, sorted, request, signal);
  const { chosen = first, nearer, notes = {}, hidden = [] } = choice;
  const others = sorted.map(({ entry }) => entry).filter((entry) => entry !== chosen && entry !== nearer);
  return {
    entry: chosen,
    nearer: nearer ? [nearer] : [],
    others,
    notes: { destination: chosen.name, ...notes },
    hidden,
  };
}

/** The id of a device at a destination. This computer has another at each. */
export function deviceAt(
  { destinations, former = [] }: StoredSettings,
  entry: Pick<DestinationEntry, 'deviceId'>,
  device: string | undefined,
): string {
  const isOwn = device === undefined || [...destinations, ...former].some(({ deviceId }) => deviceId === device);
  return isOwn ? entry.deviceId : device;
}

/** Returns the time of a set's newest restore point at any destination, as far as this computer knows; 0 if it knows none. */
export function newestKnown(parts: AgentParts, { set, device }: SetReference): number {
  const stored = requireStoredSettings(parts.home);
  const placed = stored.destinations.map((entry) => ({ entry }));
  const known = knownPoints(parts, placed, (entry) => ({
    deviceId: deviceAt(stored, entry, device),
    backupSet: set,
    at: 'latest',
  }));
  return Math.max(0, ...known.values());
}

interface PlacedEntry {
  readonly entry: DestinationEntry;
  readonly distance: Distance;
}

interface Choice {
  readonly chosen?: DestinationEntry;
  readonly nearer?: DestinationEntry;
  readonly notes?: ReadingNotes;
  readonly hidden?: readonly HiddenPoints[];
}

/** @param sorted nearest first */
async function choose(
  parts: AgentParts,
  stored: StoredSettings,
  sorted: readonly PlacedEntry[],
  { set, device, at }: ReadRequest,
  signal: AbortSignal | undefined,
): Promise<Choice> {
  const sourceAt = (entry: DestinationEntry): RestoreSource => ({
    deviceId: deviceAt(stored, entry, device),
    backupSet: set,
    at,
  });
  const known = knownPoints(parts, sorted, sourceAt);
  const candidates = await findPoints(sorted, known, (entry) => pointAt(parts, entry.id, sourceAt(entry), signal));
  const entryOf = ({ id }: Candidate): DestinationEntry => sorted.find(({ entry }) => entry.id === id)!.entry;
  const isHiding = ({ point, known: newest }: Candidate): boolean =>
    point !== undefined && newest !== undefined && point < newest;
  const hidden = await Promise.all(
    candidates.filter(isHiding).map(async (candidate) => {
      const entry = entryOf(candidate);
      return { id: entry.id, warnings: await hiddenAt(parts, entry.id, sourceAt(entry), signal) };
    }),
  );
  const contentOf = (entry: DestinationEntry): Promise<PointContent | undefined> =>
    contentAt(parts, entry.id, sourceAt(entry), signal);
  let left = candidates;
  let unreadableAt: string | undefined;
  let incompleteAt: DatedDestination | undefined;
  const askOthers = (oldest: number): Promise<readonly Candidate[]> =>
    Promise.all(
      left.map(async (each) => {
        if (each.point !== undefined || each.known === undefined || each.known < oldest) return each;
        return { ...each, point: await pointAt(parts, each.id, sourceAt(entryOf(each)), signal) };
      }),
    );
  for (;;) {
    const ranking = rankDestinations(left);
    if (!ranking) return { hidden };
    const { nearest, newest, absent } = ranking;
    const [nearestEntry, newestEntry] = [entryOf(nearest), entryOf(newest)];
    const content = await contentOf(newestEntry);
    if (content === undefined) {
      // The copy of the tree elsewhere is another one, since it names another device.
      unreadableAt = newestEntry.name;
      left = left.filter((each) => each !== newest);
      continue;
    }
    if (content.isIncomplete && incompleteAt === undefined) {
      const oldest = newest.point! - LONGEST_RUN_MS;
      const others = (await askOthers(oldest)).filter((each) => each.id !== newest.id);
      const complete = await newestComplete(others, oldest, (each) => contentOf(entryOf(each)));
      if (complete) {
        incompleteAt = dated(newestEntry, newest.point!);
        left = others.filter(({ point }) => point === undefined || point <= complete.point!);
        continue;
      }
    }
    const notes = {
      ...(incompleteAt && { incompleteAt }),
      ...(unreadableAt === undefined ? {} : { unreadableAt }),
      ...(absent && { newerAt: dated(entryOf(absent), absent.known!) }),
    };
    if (nearestEntry === newestEntry || (await contentOf(nearestEntry))?.digest === content.digest)
      return { chosen: nearestEntry, notes, hidden };
    return {
      chosen: newestEntry,
      nearer: nearestEntry,
      notes: { ...notes, olderAt: dated(nearestEntry, nearest.point!) },
      hidden,
    };
  }
}

/** Returns the newest restore point, not older than a time, that is without nothing. */
async function newestComplete(
  candidates: readonly Candidate[],
  oldest: number,
  contentOf: (candidate: Candidate) => Promise<PointContent | undefined>,
): Promise<Candidate | undefined> {
  const found = candidates.filter(({ point }) => point !== undefined && point >= oldest);
  for (const each of found.toSorted((a, b) => b.point! - a.point!)) {
    if ((await contentOf(each))?.isIncomplete === false) return each;
  }
  return undefined;
}

function dated({ name }: DestinationEntry, time: number): DatedDestination {
  return { destination: name, restorePoint: formatTimestamp(time) };
}

/** The newest restore point of the wanted time at each destination, as far as this computer knows. */
function knownPoints(
  { home }: AgentParts,
  placed: readonly Pick<PlacedEntry, 'entry'>[],
  sourceAt: (entry: DestinationEntry) => RestoreSource,
): ReadonlyMap<string, number> {
  using catalog = new Catalog(home.catalogFile);
  const known = new Map<string, number>();
  for (const { entry } of placed) {
    const { deviceId, backupSet, at } = sourceAt(entry);
    const points = catalog.at(entry.id).history.restorePoints(deviceId, backupSet);
    const newest = at === 'latest' ? points[0] : newestUntil(points, at);
    if (newest) known.set(entry.id, Date.parse(newest.restore_point));
  }
  return known;
}

/**
 * Asks destinations for their restore points: each of which this computer knows none, and else only those that can be the nearest or
 * have the newest.
 */
async function findPoints(
  placed: readonly PlacedEntry[],
  known: ReadonlyMap<string, number>,
  find: (entry: DestinationEntry) => Promise<number | undefined>,
): Promise<readonly Candidate[]> {
  const found = new Map<string, number | undefined>();
  const ask = async (entries: readonly PlacedEntry[]): Promise<void> => {
    const points = await Promise.all(entries.map(({ entry }) => find(entry)));
    for (const [index, { entry }] of entries.entries()) found.set(entry.id, points[index]);
  };
  await ask(placed.filter(({ entry }) => !known.has(entry.id)));
  for (const each of placed) {
    if (!found.has(each.entry.id)) await ask([each]);
    if (found.get(each.entry.id) !== undefined) break;
  }
  const best = Math.max(...[...found.values()].map((point) => point ?? 0));
  await ask(placed.filter(({ entry }) => !found.has(entry.id) && known.get(entry.id)! > best));
  return placed.map(({ entry, distance }) => ({
    id: entry.id,
    distance,
    point: found.get(entry.id),
    known: known.get(entry.id),
  }));
}
