/** What the footer of a tree at a service states, and the service of its restore point. */
export interface TreeClaim {
  readonly epoch: number;
  readonly deviceId: string;
  readonly backupSet: string;
  readonly sequence: number;
  readonly treeHash: string;
  /** Milliseconds since the epoch. */
  readonly created: number;
  /** That of the restore point, by the service. */
  readonly time: number;
}

/** The newest restore point of a set that counts of a device that was removed. */
export interface SetEnd {
  readonly set: string;
  readonly sequence: number;
  /** `treeHash` of its footer. */
  readonly tree: string;
  /** That of its footer, and the time that the service states; milliseconds since the epoch. */
  readonly created: number;
  readonly time: number;
}

/** Which trees of a device of a service count. */
export interface DeviceLimit {
  /** Trees in this epoch and in later ones count. */
  readonly epoch: number;
  /** Of a device that was removed: up to where, for each of its sets. */
  readonly ends?: readonly SetEnd[] | undefined;
}

/** The current key as far as it decides which trees of earlier epochs count. */
interface CurrentKey {
  readonly epoch: number;
  readonly devices?: ReadonlyMap<string, DeviceLimit> | undefined;
}

/**
 * Returns whether a tree counts. Somebody who was removed has the keys of earlier epochs: a tree of an earlier epoch counts only if its
 * device was known when the key was changed, and for a device that was removed only up to its last restore point.
 */
export function admitsTree({ epoch, devices }: CurrentKey, tree: TreeClaim): boolean {
  if (tree.epoch >= epoch || !devices) return true;
  const limit = devices.get(tree.deviceId);
  if (!limit || tree.epoch < limit.epoch) return false;
  if (!limit.ends) return true;
  const end = limit.ends.find(({ set }) => set === tree.backupSet);
  if (!end || tree.time > end.time) return false;
  return tree.treeHash === end.tree || (tree.sequence < end.sequence && tree.created < end.created);
}

/** Unites limits: a device's trees count from the lower epoch on, and up to the earlier ends. */
export function foldDevices(
  one: ReadonlyMap<string, DeviceLimit> | undefined,
  other: ReadonlyMap<string, DeviceLimit> | undefined,
): ReadonlyMap<string, DeviceLimit> | undefined {
  if (!one || !other) return one ?? other;
  const devices = new Map(one);
  for (const [device, limit] of other) {
    const before = devices.get(device);
    const epoch = Math.min(before?.epoch ?? limit.epoch, limit.epoch);
    devices.set(device, { epoch, ends: before ? foldEnds(before.ends, limit.ends) : limit.ends });
  }
  return devices;
}

function foldEnds(
  one: readonly SetEnd[] | undefined,
  other: readonly SetEnd[] | undefined,
): readonly SetEnd[] | undefined {
  if (!one || !other) return one ?? other;
  return one.flatMap((end) => {
    const also = other.find(({ set }) => set === end.set);
    return also ? [also.sequence < end.sequence ? also : end] : [];
  });
}
