import { formatTimestamp } from '../../protocol/timestamp.ts';
import { DigestSet } from '../../format/chunks/digest-set.ts';
import type { RestoreSource } from '../../model/restore-request.ts';
import type { BlobDownloader, ServiceClient } from '../../remote/ports.ts';
import type { OnBlob, OpenDestination } from './member.ts';
import { newestTime } from '../source/restore-point.ts';
import { digestOf } from '../../format/chunks/digest.ts';

/** Restore points whose chunks are looked through. Each costs its whole manifest. */
const MOST_POINTS = 4;

export interface SessionDependencies {
  readonly service: Pick<ServiceClient, 'manifests' | 'restoreManifest' | 'restorePoints' | 'capabilities' | 'now'>;
  readonly downloader: BlobDownloader;
}

/**
 * Reads chunks of a destination besides the one that is restored from. A repository serves every chunk. A service serves those of a
 * restore point: of the set's restore points, first the one that is nearest to the restored time.
 *
 * @param source the set at this destination; `undefined` if it has none of that name, which only matters to a service
 */
export function readChunksOf(source: RestoreSource | undefined, deps: SessionDependencies): OpenDestination {
  if (deps.service.manifests === 'none') {
    const { downloader } = deps;
    return { download: (hashes, onBlob, _alive, signal) => downloader.download('', hashes, onBlob, signal) };
  }
  return new RestoreSessions(source, deps);
}

interface Session {
  readonly id: string;
  /** What its manifest has. */
  readonly chunks: DigestSet;
}

class RestoreSessions implements OpenDestination {
  readonly #source: RestoreSource | undefined;
  readonly #deps: SessionDependencies;
  /** In the order of `#points`. */
  readonly #sessions: Promise<Session>[] = [];
  #times: Promise<readonly number[]> | undefined;

  constructor(source: RestoreSource | undefined, deps: SessionDependencies) {
    this.#source = source;
    this.#deps = deps;
  }

  async download(hashes: readonly string[], onBlob: OnBlob, alive: () => void, signal: AbortSignal): Promise<void> {
    const left = new Set(hashes);
    for (let index = 0; left.size > 0; index += 1) {
      const session = await this.#session(index, alive, signal);
      if (!session) break;
      const wanted = [...left].filter((hash) => session.chunks.has(digestOf(hash)));
      if (wanted.length === 0) continue;
      const passOn: OnBlob = (hash, bytes) => {
        // Another restore point's session may have it.
        if (!bytes || !left.delete(hash)) return undefined;
        return onBlob(hash, bytes);
      };
      await this.#deps.downloader.download(session.id, wanted, passOn, signal);
    }
    for (const hash of left) await onBlob(hash, undefined);
  }

  async #session(index: number, alive: () => void, signal: AbortSignal): Promise<Session | undefined> {
    const times = await (this.#times ??= this.#points(signal));
    const time = times[index];
    if (time === undefined) return undefined;
    // After a failure the whole destination is opened anew.
    return await (this.#sessions[index] ??= this.#open(time, alive, signal));
  }

  /** Times of the restore points to look through, nearest first. */
  async #points(signal: AbortSignal): Promise<readonly number[]> {
    if (!this.#source) return [];
    const { deviceId, backupSet, at } = this.#source;
    const { service } = this.#deps;
    const listed = await service.restorePoints(deviceId, backupSet, signal);
    const wanted = at === 'latest' ? await newestTime(service, undefined, signal) : at;
    if (!listed) return [wanted];
    const times = listed.map((point) => Date.parse(point.restore_point));
    return times.sort((a, b) => Math.abs(a - wanted) - Math.abs(b - wanted)).slice(0, MOST_POINTS);
  }

  async #open(time: number, alive: () => void, signal: AbortSignal): Promise<Session> {
    const { deviceId: device_id, backupSet: backup_set } = this.#source!;
    const request = { device_id, backup_set, point_in_time: formatTimestamp(time), path: '', recursive: true };
    let chunks = new DigestSet();
    const head = await this.#deps.service.restoreManifest(
      request,
      (files) => {
        alive();
        for (const file of files) for (const hash of file.chunks) chunks.add(digestOf(hash));
      },
      signal,
      () => {
        chunks = new DigestSet();
      },
    );
    return { id: head.restore_session_id, chunks };
  }
}
