import { isHoldfastError } from '../../../base/errors.ts';
import { isReservedPath } from '../../../protocol/path.ts';
import type { RestoreFileEntry } from '../../../protocol/restore.ts';
import type { PathNames } from '../../crypto/path-names.ts';
import type { ServiceClient } from '../../transfer/ports.ts';
import type { RestoreSource } from '../../job/job-request.ts';

/** A file of the manifest with its clear path. */
export interface ManifestFile {
  readonly path: string;
  readonly entry: RestoreFileEntry;
  /** Index into the sessions that `requestFiles` returns. */
  readonly session: number;
}

export interface ManifestReceiver {
  onFiles(files: readonly ManifestFile[]): void;
  /** Called when a response broke off: its files come again from the beginning. */
  onRestart(): void;
}

export interface ManifestRequest {
  readonly source: RestoreSource;
  /** ISO 8601. */
  readonly restorePoint: string;
  /** Entry paths, none inside another; an empty list requests everything. */
  readonly prefixes: readonly string[];
  readonly service: Pick<ServiceClient, 'restoreManifest'>;
  readonly names: PathNames;
  /** True if the service has sealed names; `undefined` if there is no tree to determine it. */
  readonly sealed: boolean | undefined;
}

/**
 * Requests the files of a restore point. Without a tree, the first name shows whether names are sealed, since nothing but
 * a sealed name opens.
 *
 * @returns the restore sessions
 * @throws HoldfastError `service_answer_suspicious` if sealed and clear names are mixed
 */
export async function requestFiles(
  { source, restorePoint, prefixes, service, names, ...request }: ManifestRequest,
  receiver: ManifestReceiver,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const sessions: string[] = [];
  let { sealed } = request;
  const requestPath = async (path: string): Promise<number> => {
    let received = 0;
    const onFiles = (entries: readonly RestoreFileEntry[]): void => {
      const files = entries.filter((entry) => !isReservedPath(entry.path));
      received += files.length;
      if (files.length === 0) return;
      sealed ??= opens(names, files[0]!.path);
      const session = sessions.length;
      const clear = (entry: RestoreFileEntry): string => (sealed ? names.openPath(entry.path) : entry.path);
      receiver.onFiles(files.map((entry) => ({ path: clear(entry), entry, session })));
    };
    const body = {
      device_id: source.deviceId,
      backup_set: source.backupSet,
      point_in_time: restorePoint,
      path,
      recursive: true,
    };
    const head = await service.restoreManifest(body, onFiles, signal, () => receiver.onRestart());
    sessions.push(head.restore_session_id);
    return received;
  };
  for (const prefix of prefixes.length === 0 ? [''] : prefixes) {
    const spellings = prefix === '' ? [''] : spellingsOf(prefix, sealed, names);
    for (const spelling of spellings) if ((await requestPath(spelling)) > 0) break;
  }
  return sessions;
}

function spellingsOf(prefix: string, sealed: boolean | undefined, names: PathNames): readonly string[] {
  if (sealed === undefined) return [prefix, names.sealPath(prefix)];
  return [sealed ? names.sealPath(prefix) : prefix];
}

function opens(names: PathNames, path: string): boolean {
  try {
    names.openPath(path);
    return true;
  } catch (error) {
    if (isHoldfastError(error, 'service_answer_suspicious')) return false;
    throw error;
  }
}
