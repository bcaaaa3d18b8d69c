import { bytesOfSegment } from '../../../os/filesystem/names/entry-path.ts';
import type { MountedChild, MountedFolder } from '../../../mount/mounted-folder.ts';
import { partsAt, type AgentParts } from '../../context/agent-parts.ts';
import { requireSettings, requireStoredSettings } from '../../home/settings.ts';
import type { DestinationEntry } from '../../home/destination-entry.ts';
import { setsAt, type StoredSet } from '../restore/locate-set.ts';
import type { MountedSets } from './mounted-sets.ts';
import { MINUTE } from '../../../model/units.ts';

/** For how long the list of devices is not asked for again. */
const LIST_MS = MINUTE;
/** Longest name of a file on Linux. */
const NAME_BYTES = 255;

/** The sets of one device, at all destinations if it is this one. */
interface DeviceSets {
  readonly name: string;
  /** Different for each, also for devices of one name. */
  readonly key: string;
  readonly sets: readonly ListedSet[];
}

interface ListedSet {
  readonly set: string;
  readonly device: string | undefined;
  /** The destination that it is read from; the nearest with the newest restore point by default. */
  readonly destination: string | undefined;
}

/** The top folder: a folder for each device with a folder for each of its sets. */
export class MountedDevices implements MountedFolder {
  readonly #parts: AgentParts;
  readonly #sets: MountedSets;
  #listed: Promise<readonly DeviceSets[]> | undefined;
  #listedAt = 0;

  constructor(parts: AgentParts, sets: MountedSets) {
    this.#parts = parts;
    this.#sets = sets;
  }

  async list(signal: AbortSignal): Promise<readonly MountedChild[]> {
    return withFileNames(await this.#devices(signal)).map(({ name, item }) => {
      // A program may stay in the folder of a device, and then never asks for this list.
      const list = async (inner: AbortSignal): Promise<readonly MountedChild[]> =>
        this.#setsOf((await this.#devices(inner)).find(({ key }) => key === item.key) ?? item);
      return { name, modifiedNs: 0n, content: { kind: 'folder', key: `device ${item.key}`, folder: { list } } };
    });
  }

  #devices(signal: AbortSignal): Promise<readonly DeviceSets[]> {
    const { clock } = this.#parts;
    if (this.#listed && Math.abs(clock.now() - this.#listedAt) < LIST_MS) return this.#listed;
    this.#listedAt = clock.now();
    this.#listed = devicesOf(this.#parts, signal).catch((error: unknown) => {
      this.#listed = undefined;
      throw error;
    });
    return this.#listed;
  }

  #setsOf({ key: ofDevice, sets }: DeviceSets): readonly MountedChild[] {
    const named = withFileNames(sets.map((each) => ({ ...each, name: each.set })));
    return named.map(({ name, item }) => {
      const { set, device: id, destination } = item;
      const key = `set ${JSON.stringify([ofDevice, set])}`;
      // It is opened when its own folder is listed.
      const list: MountedFolder['list'] = () =>
        this.#sets
          .set(key, { set, ...(id === undefined ? {} : { device: id }) }, partsAt(this.#parts, destination))
          .list();
      return { name, modifiedNs: 0n, content: { kind: 'folder', key, folder: { list } } };
    });
  }
}

/** Lists the sets of all devices at all destinations, or at the one that was chosen. One that is away is left out. */
async function devicesOf(parts: AgentParts, signal: AbortSignal): Promise<readonly DeviceSets[]> {
  const stored = requireStoredSettings(parts.home);
  const entries = stored.destinations.filter(({ id }) => parts.destination === undefined || id === parts.destination);
  const answers = await Promise.allSettled(entries.map((entry) => setsAt(partsAt(parts, entry.id), entry, signal)));
  signal.throwIfAborted();
  const devices = new Map<string, { readonly name: string; readonly sets: Map<string, ListedSet> }>();
  const add = (name: string, set: ListedSet): void => {
    // This device has one id at each destination; another has the same one at one destination only.
    const key = set.device === undefined ? '' : JSON.stringify([set.destination, set.device]);
    const device = devices.get(key) ?? { name, sets: new Map<string, ListedSet>() };
    devices.set(key, device);
    // Found at several destinations: its name and device are enough to choose the nearest.
    if (!device.sets.has(set.set)) device.sets.set(set.set, set);
  };
  for (const [index, answer] of answers.entries()) {
    const entry = entries[index]!;
    const listed = answer.status === 'fulfilled' ? answer.value : undefined;
    for (const each of listed ?? []) add(each.deviceName, setAt(each, parts, entry));
  }
  // What is not listed, since a destination is away or lists no sets, may be known here.
  const { deviceName } = requireSettings(parts.home, parts.destination);
  for (const { name } of stored.sets) {
    add(deviceName, { set: name, device: undefined, destination: parts.destination });
  }
  return [...devices].map(([key, { name, sets }]) => ({ name, key, sets: [...sets.values()] }));
}

function setAt({ set, deviceId, isOwn }: StoredSet, parts: AgentParts, entry: DestinationEntry): ListedSet {
  // Each destination knows another device by another id.
  if (isOwn) return { set, device: undefined, destination: parts.destination };
  return { set, device: deviceId, destination: entry.id };
}

/** Makes different file names of names that may be any text, also of another computer. */
export function withFileNames<Item extends { readonly name: string }>(
  items: readonly Item[],
): readonly { readonly name: string; readonly item: Item }[] {
  const taken = new Set<string>();
  return items.map((item) => {
    const plain = fileNameOf(item.name);
    let name = plain;
    for (let number = 2; taken.has(name); number += 1) name = `${plain} (${number})`;
    taken.add(name);
    return { name, item };
  });
}

function fileNameOf(name: string): string {
  // oxlint-disable-next-line no-control-regex -- they would confuse a terminal
  const plain = name.replaceAll(/[/\u0000-\u001f\u007f]/g, '_').toWellFormed();
  if (plain === '' || plain === '.' || plain === '..') return '_';
  let cut = plain;
  // Leaves room for a number.
  while (bytesOfSegment(cut).length > NAME_BYTES - 10) cut = cut.slice(0, -1).toWellFormed();
  return cut;
}
