import { join } from 'node:path';
import { z } from 'zod';
import { isHoldfastError } from '../../base/errors.ts';
import { JsonFile } from '../../base/json-file.ts';
import { retentionPolicy, type RetentionPolicy } from '../../protocol/retention.ts';
import type { Home } from '../home/home.ts';
import { SettingsLock } from '../home/settings-lock.ts';
import type { Session } from '../context/open-context.ts';

const pending = z.object({ version: z.literal(1), policies: z.record(z.string(), retentionPolicy) });
type Policies = Readonly<z.infer<typeof pending>['policies']>;

/**
 * The policy that a set gets with its first backup: before that, the destination does not know the set. A file that cannot
 * be read is none: without a policy everything is kept.
 */
export function pendingPolicy(home: Home, set: string): RetentionPolicy | undefined {
  return load(home)[set];
}

/** @param policy nothing to forget it @throws HoldfastError `home_busy`, `home_unwritable` */
export function notePendingPolicy(home: Home, set: string, policy: RetentionPolicy | undefined): void {
  if (policy === undefined && load(home)[set] === undefined) return;
  using _lock = SettingsLock.acquire(home);
  const { [set]: _before, ...others } = load(home);
  const policies = policy === undefined ? others : { ...others, [set]: policy };
  fileOf(home).writeSync({ version: 1, policies });
}

/** Hands it over, once there is a restore point. A destination that refuses is asked again after the next backup. */
export async function applyPendingPolicy(
  { access, settings }: Pick<Session, 'access' | 'settings'>,
  home: Home,
  set: string,
): Promise<void> {
  const policy = pendingPolicy(home, set);
  if (!policy) return;
  try {
    await access.retention({ action: 'set', device_id: settings.deviceId, backup_set: set, policy });
    notePendingPolicy(home, set, undefined);
  } catch (error) {
    if (!isHoldfastError(error)) throw error;
  }
}

function load(home: Home): Policies {
  return fileOf(home).readSync(() => undefined)?.policies ?? {};
}

function fileOf({ folder }: Home): JsonFile<typeof pending> {
  return new JsonFile(join(folder, 'pending-retention.json'), pending);
}
