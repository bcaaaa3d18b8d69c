import type { DeviceFigures } from '../usage/figures-store.ts';
import type { Gauge, MetricsRegistry } from './metrics.ts';

/** Metrics of single devices and backup sets, for as many as `MEASURED_DEVICES`. */
export class DeviceMetrics {
  readonly #info: Gauge;
  readonly #seen: Gauge;
  readonly #success: Gauge;
  readonly #age: Gauge;
  readonly #alarm: Gauge;
  readonly #setSuccess: Gauge;
  readonly #setAge: Gauge;
  readonly #setBytes: Gauge;
  readonly #setAlarm: Gauge;
  readonly #omitted: Gauge;

  constructor(registry: MetricsRegistry) {
    this.#info = registry.gauge('holdfast_device_info', 'The name of a device, as a label.');
    this.#seen = registry.gauge('holdfast_device_last_seen_timestamp_seconds', 'When a device was last seen.');
    this.#success = registry.gauge(
      'holdfast_device_last_success_timestamp_seconds',
      'When the last backup of a device was completed.',
    );
    this.#age = registry.gauge(
      'holdfast_device_success_age_seconds',
      'Time since the last completed backup of a device, or since its registration.',
    );
    this.#alarm = registry.gauge('holdfast_device_alarm', 'Whether a run of a device looked like ransomware.');
    this.#setSuccess = registry.gauge(
      'holdfast_set_last_success_timestamp_seconds',
      'When the last backup of a backup set was completed.',
    );
    this.#setAge = registry.gauge('holdfast_set_success_age_seconds', 'Time since then.');
    this.#setBytes = registry.gauge('holdfast_set_bytes', 'Plaintext bytes of the newest backup of a backup set.');
    this.#setAlarm = registry.gauge('holdfast_set_alarm', 'Whether a run of a backup set looked like ransomware.');
    this.#omitted = registry.gauge(
      'holdfast_devices_omitted',
      'Devices without metrics of their own, since there are too many.',
    );
  }

  /** @param all number of devices, measured or not. Times are milliseconds since the epoch. */
  take(devices: readonly DeviceFigures[], all: number, now: number): void {
    for (const gauge of this.#gauges()) gauge.clear();
    this.#omitted.set(Math.max(0, all - devices.length));
    for (const { id, name, lastSeen, lastBackup, successSince, hasAlarm, sets } of devices) {
      const device = { device: id };
      this.#info.set(1, { ...device, name });
      this.#seen.set(lastSeen / 1000, device);
      if (lastBackup !== undefined) this.#success.set(lastBackup / 1000, device);
      this.#age.set(Math.max(0, (now - successSince) / 1000), device);
      this.#alarm.set(hasAlarm ? 1 : 0, device);
      for (const { name: set, lastSuccess, bytes, hasAlarm: isSuspicious } of sets) {
        const labels = { ...device, set };
        if (lastSuccess !== undefined) {
          this.#setSuccess.set(lastSuccess / 1000, labels);
          this.#setAge.set(Math.max(0, (now - lastSuccess) / 1000), labels);
        }
        this.#setBytes.set(bytes, labels);
        this.#setAlarm.set(isSuspicious ? 1 : 0, labels);
      }
    }
  }

  #gauges(): readonly Gauge[] {
    return [
      this.#info,
      this.#seen,
      this.#success,
      this.#age,
      this.#alarm,
      this.#setSuccess,
      this.#setAge,
      this.#setBytes,
      this.#setAlarm,
    ];
  }
}
