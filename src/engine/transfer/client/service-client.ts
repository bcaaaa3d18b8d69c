import { backupInitResponseHead, backupRun } from '../../../protocol/backup.ts';
import type {
  BackupInitResponseHead,
  BackupProgressRequest,
  BackupRun,
  BackupStats,
} from '../../../protocol/backup.ts';
import type { ChunkReference } from '../../../protocol/chunk.ts';
import { deviceList } from '../../../protocol/devices.ts';
import type { Device } from '../../../protocol/devices.ts';
import { ENDPOINTS } from '../../../protocol/endpoints.ts';
import { backupOpenResponse, backupSetList, restorePointList } from '../../../protocol/extensions.ts';
import type { BackupSet, Capability, RestorePoint } from '../../../protocol/extensions.ts';
import { writeJsonArray } from '../../../protocol/bodies/json-array-stream.ts';
import { restoreManifestHead } from '../../../protocol/restore.ts';
import type { RestoreFileEntry, RestoreManifestHead, RestoreManifestRequest } from '../../../protocol/restore.ts';
import { HoldfastError } from '../../../base/errors/errors.ts';
import { brokenResponse, discardResponse, validated, jsonResponse, readJsonArray } from './responses.ts';
import type { AuthorisedCalls } from './authorised-calls.ts';
import { fetchServiceFeatures, NO_FEATURES } from './capabilities.ts';
import type { ServiceFeatures } from './capabilities.ts';
import { compressed } from '../http/compressed-body.ts';
import { RestartableReceiver } from './restartable-receiver.ts';
import { chunkReferencesOf, LONG_HASHES, restoreElementsOf } from './manifest-elements.ts';
import { ManifestTotals } from './manifest-totals.ts';
import type { MalformedEntry, ManifestRequest, ServiceClient } from '../ports.ts';
import { isHtml } from './error-response.ts';
import type { ErrorResponse } from './error-response.ts';
import { SingleFlight } from './single-flight.ts';

/** How the status of a run that is complete begins. */
const COMPLETED = 'completed';

/** A service may process a manifest of a million files for minutes before it responds. */
const MANIFEST_STALL_TIMEOUT_MS = 10 * 60_000;

/** The control plane over HTTP, for any service with the interface. Uses only extensions that the service offers. */
export class HttpServiceClient implements ServiceClient {
  readonly manifests = 'compare';
  readonly #calls: AuthorisedCalls;
  #features: ServiceFeatures | undefined;
  readonly #query: SingleFlight<ServiceFeatures>;

  constructor(calls: AuthorisedCalls) {
    this.#calls = calls;
    this.#query = new SingleFlight((abandoned) => fetchServiceFeatures(calls, abandoned));
  }

  now(): number {
    return this.#calls.now();
  }

  async capabilities(signal?: AbortSignal): Promise<ReadonlySet<Capability>> {
    return (await this.#serviceFeatures(signal)).capabilities;
  }

  async backupOpen(request: { deviceId: string; backupSet: string }, signal?: AbortSignal): Promise<string> {
    const { session_id: sessionId } = await this.#calls.call({
      method: 'POST',
      path: ENDPOINTS.backupOpen,
      json: () => ({ device_id: request.deviceId, backup_set: request.backupSet }),
      signal,
      read: jsonResponse(backupOpenResponse),
    });
    return sessionId;
  }

  async backupInit(
    request: ManifestRequest,
    onNeeded: (chunks: readonly ChunkReference[]) => void,
    signal?: AbortSignal,
    onRestart?: () => void,
  ): Promise<BackupInitResponseHead> {
    const { encodings } = await this.#serviceFeatures(signal);
    const { deviceId, backupSet, files, delta, sessionId } = request;
    const head = {
      device_id: deviceId,
      backup_set: backupSet,
      ...(delta ? { base: delta.base } : {}),
      ...(sessionId === undefined ? {} : { session_id: sessionId }),
    };
    const encoded = compressed(() => writeJsonArray('files', head, delta ? delta.changes() : files()), encodings);
    const receiver = new RestartableReceiver(onNeeded, onRestart);
    return this.#calls.call({
      method: 'POST',
      path: ENDPOINTS.backupInit,
      ...encoded,
      stallTimeoutMs: MANIFEST_STALL_TIMEOUT_MS,
      signal,
      read: async (response, address) => {
        const rest = await receiver.receive((take) =>
          readJsonArray(response, address, 'chunks_needed', (elements) => take(chunkReferencesOf(elements, address))),
        );
        return validated(backupInitResponseHead, rest, address);
      },
    });
  }

  async backupProgress(request: BackupProgressRequest, signal?: AbortSignal): Promise<void> {
    await this.#calls
      .call({
        method: 'POST',
        path: ENDPOINTS.backupProgress,
        json: () => request,
        signal,
        once: true,
        read: discardResponse,
      })
      .catch(() => undefined);
  }

  backupComplete(sessionId: string, stats: BackupStats, signal?: AbortSignal): Promise<BackupRun> {
    return this.#calls.call({
      method: 'POST',
      path: ENDPOINTS.backupComplete,
      json: () => ({ session_id: sessionId, stats }),
      stallTimeoutMs: MANIFEST_STALL_TIMEOUT_MS,
      signal,
      read: async (response, address) => {
        const run = await jsonResponse(backupRun)(response, address);
        if (!run.status.startsWith(COMPLETED)) throw brokenResponse(address, { field: 'status', detail: run.status });
        return run;
      },
      errorFor: chunksMissing,
    });
  }

  async backupAbort(sessionId: string, signal?: AbortSignal): Promise<void> {
    const features = await this.#serviceFeatures(signal).catch(() => NO_FEATURES);
    if (!features.capabilities.has('backup.abort')) return;
    const json = (): unknown => ({ session_id: sessionId });
    await this.#calls
      .call({ method: 'POST', path: ENDPOINTS.backupAbort, json, signal, once: true, read: discardResponse })
      .catch(() => undefined);
  }

  async restoreManifest(
    request: RestoreManifestRequest,
    onFiles: (files: readonly RestoreFileEntry[], malformed: readonly MalformedEntry[]) => void | Promise<void>,
    signal?: AbortSignal,
    onRestart?: () => void,
  ): Promise<RestoreManifestHead> {
    const { capabilities } = await this.#serviceFeatures(signal).catch(() => NO_FEATURES);
    const body = capabilities.has('restore.report') ? { ...request, reported: true } : request;
    const receiver = new RestartableReceiver(onFiles, onRestart);
    return this.#calls.call({
      method: 'POST',
      path: ENDPOINTS.restoreManifest,
      json: () => body,
      stallTimeoutMs: MANIFEST_STALL_TIMEOUT_MS,
      signal,
      read: async (response, address) => {
        const totals = new ManifestTotals();
        const rest = await receiver.receive((take) =>
          readJsonArray(
            response,
            address,
            'files',
            (elements) => {
              const { files, malformed } = restoreElementsOf(elements);
              totals.add(files, malformed.length);
              return take(files, malformed);
            },
            LONG_HASHES,
          ),
        );
        const head = validated(restoreManifestHead, rest, address);
        totals.compare(head, address);
        return head;
      },
      errorFor: (response) => noRestorePoint(response, request),
    });
  }

  async restoreReport(
    sessionId: string,
    state: 'started' | 'completed',
    { files, bytes }: { readonly files: number; readonly bytes: number },
    signal?: AbortSignal,
  ): Promise<void> {
    const features = await this.#serviceFeatures(signal).catch(() => NO_FEATURES);
    if (!features.capabilities.has('restore.report')) return;
    const json = (): unknown => ({ restore_session_id: sessionId, state, files, bytes });
    await this.#calls
      .call({ method: 'POST', path: ENDPOINTS.restoreReport, json, signal, once: true, read: discardResponse })
      .catch(() => undefined);
  }

  async devices(signal?: AbortSignal): Promise<readonly Device[]> {
    const read = jsonResponse(deviceList);
    return (await this.#calls.call({ method: 'GET', path: ENDPOINTS.devices, signal, read })).devices;
  }

  async restorePoints(
    deviceId: string,
    backupSet: string,
    signal?: AbortSignal,
  ): Promise<readonly RestorePoint[] | undefined> {
    const { capabilities } = await this.#serviceFeatures(signal);
    if (!capabilities.has('restore_points')) return undefined;
    const query = new URLSearchParams({ device_id: deviceId, backup_set: backupSet });
    const path = `${ENDPOINTS.restorePoints}?${query.toString()}`;
    const read = jsonResponse(restorePointList);
    return (await this.#calls.call({ method: 'GET', path, signal, read })).restore_points;
  }

  async backupSets(deviceId: string, signal?: AbortSignal): Promise<readonly BackupSet[] | undefined> {
    const { capabilities } = await this.#serviceFeatures(signal);
    if (!capabilities.has('backup_sets')) return undefined;
    const path = `${ENDPOINTS.backupSets}?${new URLSearchParams({ device_id: deviceId }).toString()}`;
    return (await this.#calls.call({ method: 'GET', path, signal, read: jsonResponse(backupSetList) })).backup_sets;
  }

  /** Requested once. After a failure the next call requests them again. */
  async #serviceFeatures(signal: AbortSignal | undefined): Promise<ServiceFeatures> {
    this.#features ??= await this.#query.join(signal);
    return this.#features;
  }
}

function chunksMissing(response: ErrorResponse): HoldfastError | undefined {
  if (response.status !== 409) return undefined;
  const { missing_chunks: missing } = response.problem;
  const chunks = Array.isArray(missing) ? missing.filter((hash) => typeof hash === 'string') : [];
  // Without a list it may be another conflict. The remedy is the same: the manifest is sent again.
  if (chunks.length === 0 && response.code !== undefined && response.code !== 'chunks_missing') return undefined;
  return new HoldfastError('chunk_missing', { address: response.address, status: 409, chunks }, { retryable: true });
}

function noRestorePoint(response: ErrorResponse, request: RestoreManifestRequest): HoldfastError | undefined {
  if (response.status !== 404 || isHtml(response)) return undefined;
  const { nearest_restore_points: nearest } = response.problem;
  return new HoldfastError('no_restore_point', {
    set: request.backup_set,
    deviceId: request.device_id,
    time: request.point_in_time,
    nearest: Array.isArray(nearest) ? nearest.filter((time) => typeof time === 'string') : undefined,
  });
}
