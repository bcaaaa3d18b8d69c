import { join } from 'node:path';
import { z } from 'zod';
import { JsonFile } from '../../base/files/json-file.ts';
import { retentionPolicy, type RetentionPolicy } from '../../protocol/retention.ts';
import type { Home } from '../home/home.ts';
import { lockSettings } from '../home/settings-lock.ts';

const pending = z.object({
  version: z.literal(1),
  policies: z.array(z.object({ destination: z.string(), set: z.string(), policy: retentionPolicy })),
});
type Policies = z.infer<typeof pending>['policies'];

/** A set at a destination, by its id. */
export interface SetAtDestination {
  readonly destination: string;
  readonly set: string;
}

/**
 * Returns the policy that a set gets with its first backup at a destination, which does not know the set before. An
 * unreadable file counts as empty: without a policy everything is kept.
 */
export function pendingPolicy(home: Home, at: SetAtDestination): RetentionPolicy | undefined {
  return load(home).find((other) => isSame(other, at))?.policy;
}

/** @param policy `undefined` to remove it @throws HoldfastError `home_busy`, `home_unwritable` */
export function savePendingPolicy(home: Home, at: SetAtDestination, policy: RetentionPolicy | undefined): void {
  if (policy === undefined && !load(home).some((other) => isSame(other, at))) return;
  using _lock = lockSettings(home);
  const others = load(home).filter((other) => !isSame(other, at));
  const policies = policy === undefined ? others : [...others, { ...at, policy }];
  fileOf(home).writeSync({ version: 1, policies });
}

/** Forgets the policies of a set that is no longer backed up. @throws HoldfastError `home_busy`, `home_unwritable` */
export function removePendingPolicies(home: Home, set: string): void {
  if (!load(home).some((other) => other.set === set)) return;
  using _lock = lockSettings(home);
  fileOf(home).writeSync({ version: 1, policies: load(home).filter((other) => other.set !== set) });
}

function isSame(one: SetAtDestination, other: SetAtDestination): boolean {
  return one.destination === other.destination && one.set === other.set;
}

function load(home: Home): Policies {
  return fileOf(home).readSync(() => undefined)?.policies ?? [];
}

function fileOf({ folder }: Home): JsonFile<typeof pending> {
  return new JsonFile(join(folder, 'pending-retention.json'), pending);
}
