import type { BackupProgressRequest, BackupStats } from '../../protocol/backup.ts';
import type { ChunkReference } from '../../protocol/chunk.ts';
import type { Device } from '../../protocol/devices.ts';
import { ENDPOINTS } from '../../protocol/endpoints.ts';
import { backupOpenResponse } from '../../protocol/extensions.ts';
import type { BackupSet, Capability, RestorePoint } from '../../protocol/extensions.ts';
import { writeJsonArray } from '../../protocol/bodies/json-array-stream.ts';
import type { RestoreFileEntry, RestoreManifestRequest } from '../../protocol/restore.ts';
import { formatTimestamp } from '../../protocol/timestamp.ts';
import type { RunWarning } from '../../jobs/run-warning.ts';
import { HoldfastError, isHoldfastError } from '../../base/errors/errors.ts';
import { isNotFound } from '../../base/errors/is-not-found.ts';
import {
  backupSetsAnswer,
  completeAnswer,
  devicesAnswer,
  initAnswer,
  manifestAnswer,
  restorePointsAnswer,
} from './answers.ts';
import { brokenResponse, discardResponse, validated, jsonResponse, readJsonArray } from './responses.ts';
import type { AuthorisedCalls } from './authorised-calls.ts';
import { fetchServiceFeatures, NO_FEATURES } from './capabilities.ts';
import type { ServiceFeatures } from './capabilities.ts';
import { compressed } from '../http/compressed-body.ts';
import { RestartableReceiver } from './restartable-receiver.ts';
import { LONG_HASHES, neededChunksOf, restoreElementsOf } from './manifest-elements.ts';
import { ManifestTotals } from './manifest-totals.ts';
import type {
  CompletedRun,
  MalformedEntry,
  ManifestRequest,
  ServiceClient,
  StartedBackup,
  StartedRestore,
} from '../ports.ts';
import { isHtml } from './error-response.ts';
import type { ErrorResponse } from './error-response.ts';
import { SingleFlight } from './single-flight.ts';
import { MINUTE } from '../../model/units.ts';

/** How the status of a run that is complete begins. */
const COMPLETED = 'completed';

/** A service may process a manifest of a million files for minutes before it responds. */
const MANIFEST_STALL_TIMEOUT_MS = 10 * MINUTE;

type ManifestReceiver = RestartableReceiver<[readonly RestoreFileEntry[], readonly MalformedEntry[]]>;

/** Restore sessions that can be opened again. */
const MOST_RESTORES = 10_000;

/** The control plane over HTTP, for any service with the interface. Uses only extensions that the service offers. */
export class HttpServiceClient implements ServiceClient {
  readonly manifests = 'compare';
  onListed: ServiceClient['onListed'];
  readonly #calls: AuthorisedCalls;
  #features: ServiceFeatures | undefined;
  /** A list of restore points or sets had elements that cannot be read. */
  #hadMalformed = false;
  /** What opened each restore session. */
  readonly #restores = new Map<string, RestoreManifestRequest>();
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
  ): Promise<StartedBackup> {
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
        let malformed = 0;
        const rest = await receiver.receive((take) =>
          readJsonArray(response, address, 'chunks_needed', (elements) => {
            const needed = neededChunksOf(elements);
            malformed += needed.malformed;
            return take(needed.chunks);
          }),
        );
        return { ...validated(initAnswer, rest, address), malformed };
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

  backupComplete(sessionId: string, stats: BackupStats, signal?: AbortSignal): Promise<CompletedRun> {
    return this.#calls.call({
      method: 'POST',
      path: ENDPOINTS.backupComplete,
      json: () => ({ session_id: sessionId, stats }),
      stallTimeoutMs: MANIFEST_STALL_TIMEOUT_MS,
      signal,
      read: async (response, address) => {
        const { status, backup_id: id = sessionId, ...run } = await jsonResponse(completeAnswer)(response, address);
        if (!status.toLowerCase().startsWith(COMPLETED))
          throw brokenResponse(address, { field: 'status', detail: status });
        return { ...run, backup_id: id };
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
  ): Promise<StartedRestore> {
    const receiver = new RestartableReceiver(onFiles, onRestart);
    const started = await this.#startRestore(request, receiver, signal, [1_000, 0]);
    this.#restores.set(started.restore_session_id, { ...request, point_in_time: started.point_in_time });
    if (this.#restores.size > MOST_RESTORES) this.#restores.delete(this.#restores.keys().next().value!);
    return started;
  }

  async reopenRestore(sessionId: string, signal?: AbortSignal): Promise<string | undefined> {
    const request = this.#restores.get(sessionId);
    if (!request) return undefined;
    const ignored = (): void => undefined;
    return (await this.restoreManifest(request, ignored, signal, ignored)).restore_session_id;
  }

  /**
   * A service need not take a time that it has not reached, and its clock is known to the second.
   *
   * @param ahead milliseconds from now, for the next attempts
   */
  async #startRestore(
    request: RestoreManifestRequest,
    receiver: ManifestReceiver,
    signal: AbortSignal | undefined,
    [ahead, ...fewer]: readonly number[],
  ): Promise<StartedRestore> {
    try {
      return await this.#sendRestore(request, receiver, signal);
    } catch (error) {
      const time = this.now() + (ahead ?? 0);
      if (ahead === undefined || !isRefused(error) || Date.parse(request.point_in_time) <= time) throw error;
      const earlier = { ...request, point_in_time: formatTimestamp(time) };
      return await this.#startRestore(earlier, receiver, signal, fewer);
    }
  }

  async #sendRestore(
    request: RestoreManifestRequest,
    receiver: ManifestReceiver,
    signal: AbortSignal | undefined,
  ): Promise<StartedRestore> {
    const { capabilities } = await this.#serviceFeatures(signal).catch(() => NO_FEATURES);
    const body = capabilities.has('restore.report') ? { ...request, reported: true } : request;
    return await this.#calls.call({
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
        const head = validated(manifestAnswer, rest, address);
        const { restore_session_id, point_in_time = request.point_in_time } = head;
        return { restore_session_id, point_in_time, differing: totals.differing(head) };
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
    const read = jsonResponse(devicesAnswer);
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
    const read = jsonResponse(restorePointsAnswer);
    const answer = await this.#calls.call({ method: 'GET', path, signal, read }).catch(async (error: unknown) => {
      // A set of this computer may be gone there.
      if (isNotFound(error)) await this.onListed?.({ deviceId, backupSet, points: [] }, signal);
      throw error;
    });
    const points = this.#readable(answer.restore_points);
    await this.onListed?.({ deviceId, backupSet, points }, signal);
    return points;
  }

  async backupSets(deviceId: string, signal?: AbortSignal): Promise<readonly BackupSet[] | undefined> {
    const { capabilities } = await this.#serviceFeatures(signal);
    if (!capabilities.has('backup_sets')) return undefined;
    const path = `${ENDPOINTS.backupSets}?${new URLSearchParams({ device_id: deviceId }).toString()}`;
    const read = jsonResponse(backupSetsAnswer);
    return this.#readable((await this.#calls.call({ method: 'GET', path, signal, read })).backup_sets);
  }

  answerWarnings(): readonly RunWarning[] {
    return this.#hadMalformed ? [{ path: this.#calls.address, reason: 'service-answer-malformed' }] : [];
  }

  #readable<Element>({ elements, malformed }: { readonly elements: Element[]; readonly malformed: number }): Element[] {
    if (malformed > 0) this.#hadMalformed = true;
    return elements;
  }

  /** Requested once. After a failure the next call requests them again. */
  async #serviceFeatures(signal: AbortSignal | undefined): Promise<ServiceFeatures> {
    this.#features ??= await this.#query.join(signal);
    return this.#features;
  }
}

/** Returns whether a service calls a request malformed or wrong. */
function isRefused(error: unknown): boolean {
  if (!isHoldfastError(error, 'service_error')) return false;
  return error.details.status === 400 || error.details.status === 422;
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
