import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { retentionPolicy, type RetentionPolicy } from '../../protocol/retention.ts';
import { writeFileAtomicallySync } from '../home/atomic-file.ts';
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
  writeFileAtomicallySync(fileOf(home), `${JSON.stringify({ version: 1, policies }, undefined, 2)}\n`);
}

function load(home: Home): Policies {
  try {
    return pending.parse(JSON.parse(readFileSync(fileOf(home), 'utf8'))).policies;
  } catch {
    return {};
  }
}

function fileOf({ folder }: Home): string {
  return join(folder, 'pending-retention.json');
}
