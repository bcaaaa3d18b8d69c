import type { AgentParts } from '../../context/agent-parts.ts';
import type { NoInput, OperationRun } from '../../context/operation-run.ts';
import { requireSettings } from '../../home/settings.ts';
import { withContext } from '../../context/open-context.ts';
import { visibleDevices } from '../../destination/keys/account-devices.ts';
import { storedSets } from '../../destination/keys/account-keys.ts';

/** A set with restore points at the destination. */
export interface RestoreSource {
  readonly set: string;
  /** `undefined` for this device. */
  readonly device: string | undefined;
  readonly deviceName: string;
}

/**
 * Lists the sets with restore points at all destinations. A set of another computer is that of the first destination that has it, since
 * each destination knows the computer by another id.
 *
 * @param sourcesAt lists those of one destination
 * @throws what `sourcesAt` throws at the first destination, if it throws for each
 */
export async function allRestoreSources(
  parts: AgentParts,
  sourcesAt: (id: string) => Promise<readonly RestoreSource[]>,
): Promise<readonly RestoreSource[]> {
  const { all } = requireSettings(parts.home);
  const answers = await Promise.allSettled(all.map(({ id }) => sourcesAt(id)));
  const known = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  if (known.length === 0) throw (answers[0] as PromiseRejectedResult).reason;
  const found = new Map<string, RestoreSource>();
  for (const source of known.flat()) {
    const key = JSON.stringify([source.device === undefined ? undefined : source.deviceName, source.set]);
    if (!found.has(key)) found.set(key, source);
  }
  return [...found.values()].toSorted((a, b) => Number(a.device !== undefined) - Number(b.device !== undefined));
}

/** Lists the sets with restore points of all visible devices, this device's first. */
export function restoreSources(
  parts: AgentParts,
  _input: NoInput = {},
  { signal }: OperationRun = {},
): Promise<readonly RestoreSource[]> {
  return withContext(parts, {}, async ({ settings, access, catalog }) => {
    const { deviceId: own, deviceName } = settings;
    const devices = await visibleDevices(access.service, signal);
    const names = new Map([[own, deviceName], ...devices.map(({ id, name }) => [id, name] as const)]);
    const stored = (await storedSets(access, [...names.keys()], signal)) ?? [];
    // If a service lists no sets, this computer's own backups are known from the catalog.
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
