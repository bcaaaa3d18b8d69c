import { z } from 'zod';
import { outputOf } from '../power/program-output.ts';
import { mountOf } from '../filesystem/mount-list.ts';
import type { DiskMap, FoundDisk } from './disk-map.ts';

/** A line of `mount(8)`. */
export interface MacMount {
  readonly source: string;
  readonly path: string;
  readonly type: string;
  readonly isReadOnly: boolean;
  /** Not shown by the Finder. */
  readonly isHidden: boolean;
}

/** The output of `diskutil info -plist` for a volume, as JSON. */
export interface Volume {
  readonly label: string | undefined;
  readonly isExternal: boolean;
  readonly disks: readonly string[];
}

const NETWORK_TYPES: ReadonlySet<string> = new Set(['smbfs', 'nfs', 'afpfs', 'webdav', 'ftp']);

export async function macosDisks(): Promise<DiskMap> {
  const mounts = parseMacMounts((await outputOf('/sbin/mount', [])) ?? '');
  const volumes = new Map<string, Volume>();
  await Promise.all(
    mounts.map(async ({ source }) => {
      const volume = source.startsWith('/dev/') ? await volumeOf(source) : undefined;
      if (volume) volumes.set(source, volume);
    }),
  );
  return macDiskMapOf(mounts, volumes);
}

export function macDiskMapOf(mounts: readonly MacMount[], volumes: ReadonlyMap<string, Volume>): DiskMap {
  const disksOf = (path: string): readonly string[] | undefined => {
    const mount = mountOf(mounts, path);
    return mount && (volumes.get(mount.source)?.disks ?? [mount.source]);
  };
  const found = mounts.flatMap((mount): readonly FoundDisk[] => {
    if (!mount.path.startsWith('/Volumes/') || mount.isReadOnly || mount.isHidden) return [];
    const { path, source, type } = mount;
    if (NETWORK_TYPES.has(type)) return [{ path, label: undefined, kind: 'network', disks: [] }];
    const volume = volumes.get(source);
    if (!volume) return [];
    return [{ path, label: volume.label, kind: volume.isExternal ? 'external' : 'internal', disks: volume.disks }];
  });
  return { found, disksOf };
}

/** @param text `/dev/disk3s1 on /Volumes/Backup (apfs, local, nodev, nosuid, journaled)` */
export function parseMacMounts(text: string): readonly MacMount[] {
  return text.split('\n').flatMap((line) => {
    const [, source, path, words] = /^(.+?) on (\/.*) \(([^()]*)\)$/.exec(line) ?? [];
    if (source === undefined || path === undefined || words === undefined) return [];
    const [type = '', ...options] = words.split(', ');
    return [{ source, path, type, isReadOnly: options.includes('read-only'), isHidden: options.includes('nobrowse') }];
  });
}

async function volumeOf(device: string): Promise<Volume | undefined> {
  const plist = '/usr/sbin/diskutil info -plist "$0" | /usr/bin/plutil -convert json -o - -';
  const json = await outputOf('/bin/sh', ['-c', plist, device]);
  return json === undefined ? undefined : parseVolume(json);
}

const volume = z.object({
  VolumeName: z.string().optional(),
  /** True if the disk is built in. */
  Internal: z.boolean().optional(),
  RemovableMediaOrExternalDevice: z.boolean().optional(),
  ParentWholeDisk: z.string().optional(),
  /** The partitions of an APFS volume's container. */
  APFSPhysicalStores: z.array(z.object({ APFSPhysicalStore: z.string() })).optional(),
});

/** @param json output of `diskutil info -plist`, converted by `plutil -convert json` */
export function parseVolume(json: string): Volume | undefined {
  const parsed = volume.safeParse(JSON.parse(json));
  if (!parsed.success) return undefined;
  const { VolumeName: label, Internal: isInternal, RemovableMediaOrExternalDevice: isRemovable } = parsed.data;
  const stores = parsed.data.APFSPhysicalStores?.map(({ APFSPhysicalStore: store }) => wholeDisk(store));
  const disks = stores ?? (parsed.data.ParentWholeDisk === undefined ? [] : [parsed.data.ParentWholeDisk]);
  return { label: label || undefined, isExternal: isRemovable ?? isInternal === false, disks };
}

/** Returns `disk0` for `disk0s2`. */
function wholeDisk(partition: string): string {
  return /^disk\d+/.exec(partition)?.[0] ?? partition;
}
