import { randomBytes } from 'node:crypto';
import type { Departures } from './expectations.ts';
import { faultScript } from './faults.ts';
import type { FaultScript } from './faults.ts';
import type { Oddity } from './oddity.ts';

/** The state of the service, for one account. */
export interface ServiceState {
  readonly departures: Departures;
  readonly faults: FaultScript;
  readonly tokenSeconds: number;
  readonly urlSeconds: number;
  /** Extensions that it claims to have. It has none, so only those make sense that say how a client may send what the interface describes. */
  announced: readonly string[];
  odd: Oddity;
  /** Seconds by which this service's clock is ahead of the system's. */
  clockOffsetSeconds: number;
  /**
   * True if a presign, PUT or complete may be repeated although its response was sent: with broken connections this service
   * cannot know whether it arrived.
   */
  readonly wireMayBreak: boolean;
  readonly user: {
    readonly id: string;
    readonly email: string;
    readonly password: string;
    readonly totpSecret: string;
  };
  readonly devices: Map<string, { readonly key: string; readonly name: string; lastBackup: string | undefined }>;
  /** Set when the storage is listening. */
  storageUrl: string;
  readonly accessTokens: Map<string, { readonly subject: string; expiresAt: number }>;
  readonly mfaTokens: Set<string>;
  readonly refreshTokens: Map<string, 'good' | 'spent'>;
  readonly signaturesSeen: Set<string>;
  /** By chunk hash. */
  readonly blobs: Map<string, Buffer>;
  readonly uploadAddresses: Map<string, UploadAddress>;
  readonly downloadAddresses: Map<string, { readonly hash: string; readonly expiresAt: number }>;
  readonly backups: Map<string, BackupSession>;
  readonly restores: Map<string, { readonly hashes: ReadonlySet<string> }>;
  readonly runs: Run[];
}

export interface UploadAddress {
  readonly hash: string;
  readonly size: number;
  readonly expiresAt: number;
  /** True if a PUT succeeded and its response was sent. */
  used: boolean;
}

export interface ManifestFile {
  readonly path: string;
  readonly size: number;
  readonly modified: string;
  readonly chunks: readonly { readonly hash: string; readonly size: number }[];
}

export interface BackupSession {
  readonly deviceId: string;
  readonly set: string;
  readonly files: readonly ManifestFile[];
  /** Plaintext sizes by hash. */
  readonly needed: ReadonlyMap<string, number>;
  /** Chunks that were acknowledged as stored. */
  readonly acknowledged: Set<string>;
  progress: { readonly chunks: number; readonly bytes: number };
  completed: { readonly answer: object; delivered: boolean } | undefined;
}

export interface Run {
  readonly id: string;
  readonly deviceId: string;
  readonly set: string;
  readonly time: number;
  readonly files: readonly ManifestFile[];
}

export interface ServiceStateOptions {
  readonly tokenSeconds?: number;
  readonly urlSeconds?: number;
  readonly clockOffsetSeconds?: number;
  readonly wireMayBreak?: boolean;
}

export function createState(options: ServiceStateOptions): ServiceState {
  return {
    departures: [],
    faults: faultScript(),
    tokenSeconds: options.tokenSeconds ?? 3600,
    urlSeconds: options.urlSeconds ?? 900,
    announced: [],
    odd: {},
    clockOffsetSeconds: options.clockOffsetSeconds ?? 0,
    wireMayBreak: options.wireMayBreak ?? false,
    user: {
      id: 'user-1',
      email: 'anna@example.com',
      password: 'correct horse',
      totpSecret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
    },
    devices: new Map([['device-1', { key: 'key-of-device-1', name: 'laptop', lastBackup: undefined }]]),
    storageUrl: '',
    accessTokens: new Map(),
    mfaTokens: new Set(),
    refreshTokens: new Map(),
    signaturesSeen: new Set(),
    blobs: new Map(),
    uploadAddresses: new Map(),
    downloadAddresses: new Map(),
    backups: new Map(),
    restores: new Map(),
    runs: [],
  };
}

export function timeOf(state: ServiceState): number {
  return Date.now() + state.clockOffsetSeconds * 1000;
}

export function freshId(kind: string): string {
  return `${kind}-${randomBytes(9).toString('base64url')}`;
}
