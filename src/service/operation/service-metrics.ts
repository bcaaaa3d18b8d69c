import { monitorEventLoopDelay } from 'node:perf_hooks';
import { MetricsRegistry } from './metrics.ts';
import { DeviceMetrics } from './device-metrics.ts';
import type { LatestFigures } from './latest-figures.ts';
import type { Readiness } from './readiness.ts';

export interface AnsweredRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Seconds. A manifest of a million files may take minutes. */
const DURATIONS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Metrics of a running service. Only those of single devices and backup sets have names as labels. */
export class ServiceMetrics {
  readonly #registry = new MetricsRegistry();
  readonly #delay = monitorEventLoopDelay({ resolution: 20 });
  readonly #started = Date.now();

  readonly #requests = this.#registry.counter('holdfast_requests_total', 'Requests that were answered.');
  readonly #durations = this.#registry.histogram(
    'holdfast_request_duration_seconds',
    'From the head of a request to the end of its answer.',
    DURATIONS,
  );
  readonly #underWay = this.#registry.gauge('holdfast_requests_in_flight', 'Requests that are being answered.');
  readonly #limited = this.#registry.counter('holdfast_requests_limited_total', 'Requests refused by a rate limit.');
  readonly #housekeeping = this.#registry.counter(
    'holdfast_housekeeping_failures_total',
    'Steps of housekeeping that failed.',
  );
  readonly #muted = this.#registry.gauge(
    'holdfast_muted',
    'Whether this is a copy that sends no webhooks until somebody takes over.',
  );
  readonly #ready = this.#registry.gauge('holdfast_ready', 'Whether a part of the service can be used.');
  readonly #accounts = this.#registry.gauge('holdfast_accounts', 'Accounts.');
  readonly #devices = this.#registry.gauge('holdfast_devices', 'Devices that are not revoked.');
  readonly #sessions = this.#registry.gauge('holdfast_backup_sessions', 'Backup sessions under way.');
  readonly #points = this.#registry.gauge('holdfast_restore_points', 'Restore points that there are.');
  readonly #newest = this.#registry.gauge(
    'holdfast_newest_restore_point_timestamp_seconds',
    'When the newest backup of any device was completed.',
  );
  readonly #storage = this.#registry.gauge('holdfast_storage_bytes', 'Bytes of all stored blobs.');
  readonly #free = this.#registry.gauge('holdfast_data_free_bytes', 'Free bytes where the data folder is.');
  readonly #waiting = this.#registry.gauge(
    'holdfast_webhook_deliveries_waiting',
    'Webhook deliveries still to be made.',
  );
  readonly #oldest = this.#registry.gauge(
    'holdfast_webhook_oldest_waiting_seconds',
    'Age of the oldest webhook delivery that waits.',
  );
  readonly #measured = new DeviceMetrics(this.#registry);
  readonly #memory = this.#registry.gauge('process_resident_memory_bytes', 'Resident memory.');
  readonly #processor = this.#registry.total('process_cpu_seconds_total', 'Processor time, user and system.');
  readonly #start = this.#registry.gauge('process_start_time_seconds', 'When the process started.');
  readonly #lag = this.#registry.gauge(
    'nodejs_eventloop_lag_p99_seconds',
    'Delay of timers since the last time asked.',
  );
  #inFlight = 0;

  constructor() {
    this.#delay.enable();
  }

  began(): void {
    this.#inFlight += 1;
  }

  ended({ method, route, status, seconds }: AnsweredRequest): void {
    this.#inFlight -= 1;
    this.#requests.add({ method: METHODS.has(method) ? method : 'other', route, status: String(status) });
    this.#durations.observe(seconds, { route });
  }

  limited(by: 'address' | 'sign-in' | 'account'): void {
    this.#limited.add({ by });
  }

  housekeepingFailed(step: string): void {
    this.#housekeeping.add({ step });
  }

  setMuted(isMuted: boolean): void {
    this.#muted.set(isMuted ? 1 : 0);
  }

  /**
   * Returns all metrics at `now` (milliseconds since the epoch).
   *
   * @param figures `undefined` if the stores are unavailable
   */
  text(now: number, readiness: Readiness, figures: LatestFigures | undefined, freeBytes: number | undefined): string {
    this.#underWay.set(this.#inFlight);
    for (const [part, state] of Object.entries(readiness.parts)) this.#ready.set(state === 'ok' ? 1 : 0, { part });
    if (figures) this.#take(figures, now);
    if (freeBytes !== undefined) this.#free.set(freeBytes);
    this.#takeProcess();
    return this.#registry.text();
  }

  stop(): void {
    this.#delay.disable();
  }

  #take(figures: LatestFigures, now: number): void {
    this.#accounts.set(figures.accounts);
    this.#measured.take(figures.measured, figures.devices, now);
    this.#devices.set(figures.devices);
    this.#sessions.clear();
    for (const [state, count] of Object.entries(figures.sessions)) this.#sessions.set(count, { state });
    this.#points.set(figures.restorePoints);
    if (figures.newestRestorePoint !== undefined) this.#newest.set(figures.newestRestorePoint / 1000);
    this.#storage.set(figures.storageUsed);
    const { waiting, oldestWaiting } = figures.webhooks;
    this.#waiting.set(waiting);
    this.#oldest.set(oldestWaiting === undefined ? 0 : Math.max(0, (now - oldestWaiting) / 1000));
  }

  #takeProcess(): void {
    const { user, system } = process.cpuUsage();
    this.#memory.set(process.memoryUsage.rss());
    this.#processor.set((user + system) / 1e6);
    this.#start.set(this.#started / 1000);
    this.#lag.set(this.#delay.percentile(99) / 1e9);
    this.#delay.reset();
  }
}
