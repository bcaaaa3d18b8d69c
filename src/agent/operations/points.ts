import type { RestorePoint } from '../../protocol/extensions.ts';
import { isHoldfastError } from '../../base/errors.ts';
import type { AgentParts, SetReference } from '../agent.ts';
import { storedSets } from '../destination/account-keys.ts';
import { listPoints } from './list.ts';
import { withSession, type Session } from '../context/open-context.ts';
import { sourceOf, type SetSource } from '../context/set-source.ts';

/** A restore point, and whether it is kept whatever a policy says; nothing where the destination does not tell. */
export interface PinnedPoint {
  readonly point: RestorePoint;
  readonly isPinned: boolean | undefined;
}

/** Newest first. @throws HoldfastError `set_unknown` */
export function pinnedPoints(
  parts: AgentParts,
  reference: SetReference,
  signal?: AbortSignal,
): Promise<readonly PinnedPoint[]> {
  return withSession(parts, {}, async (session) => {
    const source = await sourceOf(session, reference, signal);
    const points = await listPoints(session, source, signal);
    const pinned = points.length === 0 ? undefined : await pinnedBackups(session, source, signal);
    return points.map((point) => ({ point, isPinned: pinned?.has(point.backup_id) }));
  });
}

/** Pins are a help, and no reason to show no restore points: other services know none. */
async function pinnedBackups(
  { access }: Session,
  { deviceId, backupSet }: SetSource,
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string> | undefined> {
  const asked = access.retention({ action: 'show', device_id: deviceId, backup_set: backupSet }, signal);
  const answer = await asked.catch((error: unknown) => {
    if (isHoldfastError(error)) return undefined;
    throw error;
  });
  return answer && new Set(answer.state.points.filter(({ pinned }) => pinned).map(({ backup_id: id }) => id));
}

/** A set that has restore points at the destination, by whom. */
export interface Source {
  readonly set: string;
  /** Nothing for this device. */
  readonly device: string | undefined;
  readonly deviceName: string;
}

/** The sets with restore points of all devices that we may see, this one's first. */
export function sources(parts: AgentParts, signal?: AbortSignal): Promise<readonly Source[]> {
  return withSession(parts, {}, async ({ settings, access, catalog }) => {
    const { deviceId: own, deviceName } = settings;
    const devices = await access.service.devices(signal).catch((error: unknown) => {
      if (isHoldfastError(error, 'permission_denied')) return [];
      throw error;
    });
    const names = new Map([[own, deviceName], ...devices.map(({ id, name }) => [id, name] as const)]);
    const stored = (await storedSets(access, [...names.keys()], signal)) ?? [];
    // Where the service lists no sets, this computer knows what it made.
    const made = settings.sets
      .filter(({ name }) => catalog.history.restorePoints(own, name).length > 0)
      .map(({ name }) => ({ deviceId: own, backupSet: name }));
    return (stored.length > 0 ? stored : made).map(({ deviceId, backupSet }) => ({
      set: backupSet,
      device: deviceId === own ? undefined : deviceId,
      deviceName: names.get(deviceId) ?? deviceId,
    }));
  });
}
