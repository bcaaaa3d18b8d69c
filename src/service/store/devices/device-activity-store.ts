import type { EmittedEvent } from '../../../protocol/webhooks.ts';
import type { NewAuditEntry } from '../audit/audit-store.ts';

/** What a device's status follows from. Times are milliseconds since the epoch. */
export interface DeviceActivity {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly os: string;
  readonly agentVersion: string;
  /** The person who registered it; nothing where that was before it was kept, or through the folder itself. */
  readonly registeredBy: string | undefined;
  readonly registeredAt: number;
  readonly lastSeen: number;
  readonly lastBackup: number | undefined;
  /** When its last backup that failed ended. */
  readonly lastFailure: number | undefined;
  readonly revokedAt: number | undefined;
}

/** When devices were last heard of. */
export interface DeviceActivityStore {
  /** In the order of their registration, the revoked ones too. */
  list(accountId: string): Promise<readonly DeviceActivity[]>;
  /** Whoever is heard of is not offline any more. */
  seen(deviceId: string, now: number): Promise<void>;
  rename(accountId: string, deviceId: string, name: string, audit: NewAuditEntry): Promise<boolean>;
  registeredBy(deviceId: string): Promise<string | undefined>;
  /**
   * Emits `event` for devices that nobody has heard of since `before`, once for each time that they stay away. Answers how
   * many there were, up to `limit`.
   */
  tellOffline(
    absence: { before: number; now: number; limit: number },
    event: (device: DeviceActivity) => EmittedEvent,
  ): Promise<number>;
}
