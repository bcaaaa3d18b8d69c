import { join } from 'node:path';
import { z } from 'zod';
import { JsonFile } from '../../base/json-file.ts';
import { retentionPolicy, type RetentionPolicy } from '../../protocol/retention.ts';
import type { Home } from '../home/home.ts';
import { lockSettings } from '../home/settings-lock.ts';

const pending = z.object({ version: z.literal(1), policies: z.record(z.string(), retentionPolicy) });
type Policies = Readonly<z.infer<typeof pending>['policies']>;

/**
 * Returns the policy that a set gets with its first backup, since the destination does not know the set before. An
 * unreadable file counts as empty: without a policy everything is kept.
 */
export function pendingPolicy(home: Home, set: string): RetentionPolicy | undefined {
  return load(home)[set];
}

/** @param policy `undefined` to remove it @throws HoldfastError `home_busy`, `home_unwritable` */
export function savePendingPolicy(home: Home, set: string, policy: RetentionPolicy | undefined): void {
  if (policy === undefined && load(home)[set] === undefined) return;
  using _lock = lockSettings(home);
  const { [set]: _before, ...others } = load(home);
  const policies = policy === undefined ? others : { ...others, [set]: policy };
  fileOf(home).writeSync({ version: 1, policies });
}

function load(home: Home): Policies {
  return fileOf(home).readSync(() => undefined)?.policies ?? {};
}

function fileOf({ folder }: Home): JsonFile<typeof pending> {
  return new JsonFile(join(folder, 'pending-retention.json'), pending);
}
