import { HoldfastError, isHoldfastError } from '../../base/errors/errors.ts';
import { isReservedPath } from '../../protocol/path.ts';
import { isWithin } from '../../model/entry-path.ts';
import type { RestoreFileEntry } from '../../protocol/restore.ts';
import type { PathNames } from '../../format/crypto/path-names.ts';
import type { MalformedEntry, ServiceClient } from '../../remote/ports.ts';
import type { RestoreSource } from '../../model/restore-request.ts';
import { MOST_OUTSIDE } from './restore-point.ts';

/** A file of the manifest with its clear path. */
export interface ManifestFile {
  readonly path: string;
  readonly entry: RestoreFileEntry;
  /** Index into the sessions that `requestFiles` returns. */
  readonly session: number;
}

export interface ManifestReceiver {
  onFiles(files: readonly ManifestFile[]): void;
  /** Called for an element that is not a file entry, or whose name does not open, with its path if it has one. */
  onRefused(path: string | undefined): void;
  /** Called when a response broke off: its files come again from the beginning. */
  onRestart(): void;
  /** Called when a total of the service is not that of what it has sent. */
  onTotalsDiffering?(): void;
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
 * @returns the restore sessions, one for each prefix if `sealed` is known
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
    let outside = 0;
    const countOutside = (): void => {
      outside += 1;
      if (outside > MOST_OUTSIDE) throw new HoldfastError('service_answer_suspicious', { problem: 'too-many-files' });
    };
    const onFiles = (entries: readonly RestoreFileEntry[], malformed: readonly MalformedEntry[]): void => {
      const session = sessions.length;
      const files: ManifestFile[] = [];
      for (const entry of entries) {
        if (isReservedPath(entry.path)) continue;
        // A service may take the prefix for the beginning of a text: `/a/b` also of `/a/bc`.
        if (!isWithin(entry.path, path)) {
          countOutside();
          continue;
        }
        received += 1;
        sealed ??= clearPath(names, entry.path) !== undefined;
        const clear = sealed ? clearPath(names, entry.path) : entry.path;
        if (clear === undefined) receiver.onRefused(entry.path);
        else files.push({ path: clear, entry, session });
      }
      if (files.length > 0) receiver.onFiles(files);
      for (const { path: sent } of malformed) {
        receiver.onRefused(sent !== undefined && sealed ? (clearPath(names, sent) ?? sent) : sent);
      }
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
    if (head.differing !== undefined) receiver.onTotalsDiffering?.();
    return received;
  };
  for (const prefix of prefixes.length === 0 ? [''] : prefixes) {
    const spellings = prefix === '' ? [''] : spellingsOf(prefix, sealed, names);
    for (const spelling of spellings) if ((await requestPath(spelling)) > 0) break;
  }
  return sessions;
}

function spellingsOf(prefix: string, sealed: boolean | undefined, names: PathNames): readonly string[] {
  if (sealed === false) return [prefix];
  // The names of an older restore point are those of an earlier epoch.
  return sealed ? names.sealedPaths(prefix) : [prefix, ...names.sealedPaths(prefix)];
}

/** Returns the clear path; `undefined` if it is not sealed with our keys. */
function clearPath(names: PathNames, path: string): string | undefined {
  try {
    return names.openPath(path);
  } catch (error) {
    if (isHoldfastError(error, 'service_answer_suspicious')) return undefined;
    throw error;
  }
}
