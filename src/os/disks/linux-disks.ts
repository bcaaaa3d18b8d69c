import { z } from 'zod';
import {
  mountList,
  mountOf,
  mountWithText,
  NETWORK_TYPES,
  type Mount,
  type MountWithText,
} from '../filesystem/mount-list.ts';
import { outputOf } from '../power/program-output.ts';
import type { DiskMap, FoundDisk } from './disk-map.ts';

/** A device of lsblk(8), with its physical disks. */
export interface BlockDevice {
  /** `MAJOR:MINOR` */
  readonly device: string;
  readonly path: string;
  readonly label: string | undefined;
  readonly model: string | undefined;
  /** Can be unplugged. */
  readonly isExternal: boolean;
  readonly disks: readonly string[];
}

const COLUMNS = 'NAME,PATH,MAJ:MIN,LABEL,MODEL,RM,HOTPLUG,TRAN,TYPE';

/** Mount points of the system's own file systems. */
const OF_THE_SYSTEM =
  /^\/(boot|efi|snap|nix|etc|proc|sys|dev|tmp|usr|var\/(lib|snap|cache|log|tmp)|run\/(?!media))(\/|$)/;

export async function linuxDisks(): Promise<DiskMap> {
  const blocks = await outputOf('lsblk', ['--json', '--output', COLUMNS]);
  return diskMapOf(mountList(), blocks === undefined ? [] : parseBlockDevices(blocks));
}

/** Joins the mounts with their devices. */
export function diskMapOf(list: readonly Mount[], blocks: readonly BlockDevice[]): DiskMap {
  const mounts = list.map(mountWithText);
  const blockOf = (mount: MountWithText): BlockDevice | undefined =>
    blocks.find(({ device }) => device === mount.device) ?? blocks.find(({ path }) => path === mount.source);
  const disksOf = (path: string): readonly string[] | undefined => {
    const mount = mountOf(mounts, path);
    return mount && (blockOf(mount)?.disks ?? [mount.device]);
  };
  const found = new Map<string, FoundDisk>();
  // If a file system is mounted several times, people know the shortest path.
  for (const mount of mounts.toSorted((a, b) => a.path.length - b.path.length)) {
    const disk = isForPeople(mount) ? foundDisk(mount, blockOf(mount)) : undefined;
    const key = blockOf(mount)?.path ?? mount.source;
    if (disk && !found.has(key)) found.set(key, disk);
  }
  return { found: [...found.values()], disksOf };
}

function isForPeople({ path, root, type, isReadOnly }: MountWithText): boolean {
  const isWhole = root === '/' || type === 'btrfs' || NETWORK_TYPES.has(type);
  return isWhole && !isReadOnly && path !== '/' && !OF_THE_SYSTEM.test(path);
}

function foundDisk({ path, type }: MountWithText, block: BlockDevice | undefined): FoundDisk | undefined {
  if (NETWORK_TYPES.has(type)) return { path, label: undefined, kind: 'network', disks: [] };
  if (!block) return undefined;
  const { label, model, isExternal, disks } = block;
  return { path, label: label ?? model, kind: isExternal ? 'external' : 'internal', disks };
}

const flag = z.union([z.boolean(), z.string().transform((text) => text === '1')]);
const blockDevice = z.object({
  name: z.string(),
  path: z.string().optional(),
  'maj:min': z.string(),
  label: z.string().nullish(),
  model: z.string().nullish(),
  rm: flag.nullish(),
  hotplug: flag.nullish(),
  tran: z.string().nullish(),
  type: z.string().nullish(),
  get children() {
    return z.array(blockDevice).optional();
  },
});
type Listed = z.infer<typeof blockDevice>;
const listing = z.object({ blockdevices: z.array(blockDevice) });

/** @param json output of `lsblk --json`: each device with those made of it as children, repeated for each parent */
export function parseBlockDevices(json: string): readonly BlockDevice[] {
  const devices = new Map<string, BlockDevice>();
  for (const disk of listing.safeParse(JSON.parse(json)).data?.blockdevices ?? []) collect(disk, disk, devices);
  return [...devices.values()];
}

function collect(listed: Listed, disk: Listed, devices: Map<string, BlockDevice>): void {
  const device = listed['maj:min'].trim();
  const before = devices.get(device);
  devices.set(device, {
    device,
    path: listed.path ?? `/dev/${listed.name}`,
    label: named(listed.label) ?? before?.label,
    model: before?.model ?? named(disk.model),
    isExternal: before?.isExternal === true || canBeUnplugged(disk),
    disks: [...new Set([...(before?.disks ?? []), disk.name])],
  });
  for (const child of listed.children ?? []) collect(child, disk, devices);
}

function canBeUnplugged({ rm, hotplug, tran }: Listed): boolean {
  return rm === true || hotplug === true || tran === 'usb' || tran === 'ieee1394';
}

function named(text: string | null | undefined): string | undefined {
  return text?.trim() || undefined;
}
