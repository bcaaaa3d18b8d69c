import { join } from 'node:path';
import { wrongUsage } from '../../base/errors/errors.ts';
import { PinnedRepository } from '../../repository/pinned-repository.ts';
import type { AgentParts } from '../context/agent-parts.ts';
import { REPOSITORIES_FOLDER, writerKeyOf } from '../destination/keys/writer-key.ts';
import { locationOf } from '../home/destination-location.ts';
import { settingsFor, type StoredSettings } from '../home/settings.ts';
import type { DestinationEntry } from '../home/destination-entry.ts';
import { requireSecrets } from '../key-store/require-secrets.ts';
import type { JoinRequest, KnownBackups } from './join-request.ts';

/** Returns what identifies the backups of each configured destination. */
export async function knownBackups(stored: StoredSettings, parts: AgentParts): Promise<readonly KnownBackups[]> {
  return await Promise.all(
    stored.destinations.map(async (entry) => ({
      location: locationOf(entry.destination),
      deviceId: entry.deviceId,
      repository: await repositoryOf(entry, stored, parts),
    })),
  );
}

/** Returns the id of the repository that this home has opened there, as far as it remembers it. */
async function repositoryOf(
  entry: DestinationEntry,
  stored: StoredSettings,
  { home, keyStore }: AgentParts,
): Promise<string | undefined> {
  if (entry.destination.kind === 'service') return undefined;
  const { deviceKey } = await requireSecrets(keyStore.at(entry.credentials), settingsFor(stored, entry.id));
  if (deviceKey === undefined) return undefined;
  return new PinnedRepository(join(home.folder, REPOSITORIES_FOLDER), writerKeyOf(deviceKey).id).read();
}

/** @throws HoldfastError `usage` (`destination-same`) if backups go there already */
export function refuseSame({ others = [] }: JoinRequest, isSame: (known: KnownBackups) => boolean): void {
  const same = others.find(isSame);
  if (same) throw wrongUsage({ problem: 'destination-same', directory: same.location });
}
