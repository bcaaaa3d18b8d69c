import type { RestoreFileEntry } from '../../../protocol/restore.ts';
import { isReservedPath } from '../../../protocol/path.ts';
import type { PathNames } from '../../crypto/path-names.ts';
import { isHoldfastError } from '../../../base/errors.ts';
import type { RestoreDependencies, RestoreSource } from '../types.ts';

/** A file of the manifest with the path that a person knows. */
export interface ManifestFile {
  readonly path: string;
  readonly entry: RestoreFileEntry;
  /** Index into the sessions that `requestFiles` answers. */
  readonly session: number;
}

export interface FileManifestReceiver {
  onFiles(files: readonly ManifestFile[]): void;
  /** An answer broke off and comes once more from its beginning. */
  onRestart(): void;
}

export interface ManifestParts {
  readonly service: RestoreDependencies['service'];
  readonly names: PathNames;
  /** Whether the service has the names sealed, where that is known. */
  readonly sealed: boolean | undefined;
}

/**
 * Requests the files of a restore point and answers the restore sessions. Where no tree says whether the
 * service has the names sealed, the first name tells, since nothing but a sealed name opens.
 *
 * @param prefixes entry paths, none inside another; none is everything
 * @throws HoldfastError `service_answer_suspicious` where sealed and clear names are mixed
 */
export async function requestFiles(
  source: RestoreSource,
  restorePoint: string,
  prefixes: readonly string[],
  parts: ManifestParts,
  receiver: FileManifestReceiver,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const sessions: string[] = [];
  let { sealed } = parts;
  const request = async (path: string): Promise<number> => {
    let received = 0;
    const onFiles = (entries: readonly RestoreFileEntry[]): void => {
      const files = entries.filter((entry) => !isReservedPath(entry.path));
      received += files.length;
      if (files.length === 0) return;
      sealed ??= opens(parts.names, files[0]!.path);
      const session = sessions.length;
      const clear = (entry: RestoreFileEntry): string => (sealed ? parts.names.openPath(entry.path) : entry.path);
      receiver.onFiles(files.map((entry) => ({ path: clear(entry), entry, session })));
    };
    const body = {
      device_id: source.deviceId,
      backup_set: source.backupSet,
      point_in_time: restorePoint,
      path,
      recursive: true,
    };
    const head = await parts.service.restoreManifest(body, onFiles, signal, () => receiver.onRestart());
    sessions.push(head.restore_session_id);
    return received;
  };
  for (const prefix of prefixes.length === 0 ? [''] : prefixes) {
    const spellings = prefix === '' ? [''] : spellingsOf(prefix, sealed, parts.names);
    for (const spelling of spellings) if ((await request(spelling)) > 0) break;
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
