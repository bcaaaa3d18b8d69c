import type { Device } from '../../protocol/devices.ts';
import type { RestorePoint } from '../../protocol/extensions.ts';
import { listEntries, listRestorePoints } from '../../engine/restore/list.ts';
import type { ListedEntry } from '../../engine/restore/types.ts';
import { WorkerPool } from '../../engine/workers/pool.ts';
import type { AgentParts, ListOptions, SetReference } from '../agent.ts';
import { givenEntryPath } from './given-path.ts';
import { openSession, withSession, type Session } from '../context/open-context.ts';
import { isNotFound, sourceOf, type SetSource } from '../context/set-source.ts';

/**
 * Newest first. A service counts the entries that Holdfast keeps for itself among the files; where this computer made the
 * backup, its own count is told, so that one number has one value everywhere.
 *
 * @throws HoldfastError `set_unknown`
 */
export function points(
  parts: AgentParts,
  reference: SetReference,
  signal?: AbortSignal,
): Promise<readonly RestorePoint[]> {
  return withSession(parts, {}, async (session) =>
    listPoints(session, await sourceOf(session, reference, signal), signal),
  );
}

/** As `points`, of a set at the service. */
export async function listPoints(
  { catalog, access }: Session,
  source: SetSource,
  signal?: AbortSignal,
): Promise<readonly RestorePoint[]> {
  try {
    const listed = await listRestorePoints(source, { service: access.service, catalog }, signal);
    const known = catalog.history.restorePoints(source.deviceId, source.backupSet);
    return listed.map((point) => known.find(({ backup_id: id }) => id === point.backup_id) ?? point);
  } catch (error) {
    // A set that was never backed up is not known there.
    if (isNotFound(error)) return [];
    throw error;
  }
}

export function devices(parts: AgentParts, signal?: AbortSignal): Promise<readonly Device[]> {
  return withSession(parts, {}, ({ access }) => access.service.devices(signal));
}

/** @throws HoldfastError `set_unknown`, `no_restore_point`, `path_not_found` */
export async function* list(
  parts: AgentParts,
  options: ListOptions,
  signal?: AbortSignal,
): AsyncGenerator<readonly ListedEntry[]> {
  const path = givenEntryPath(options.path);
  const { home, clock } = parts;
  await using pool = new WorkerPool();
  await using session = await openSession(parts, {});
  const { catalog, access, keys } = session;
  try {
    const source = { ...(await sourceOf(session, options, signal)), at: options.at };
    const { service, downloader } = access;
    const dependencies = { service, downloader, catalog, pool, keys, clock, scratch: home.scratchFolder };
    yield* listEntries({ source, path, recursive: options.recursive }, dependencies, signal);
  } catch (error) {
    throw access.explain(error);
  }
}
