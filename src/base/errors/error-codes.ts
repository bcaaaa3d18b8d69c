import type { ServiceRefusal } from './service-refusal.ts';

/** The `code` of a system error (`ENOENT`), or another library's; it is shown, but never evaluated. */
type SystemCode = string & {};

interface Unreadable {
  readonly path: string;
  readonly problem?: 'reserved-path' | 'earlier-content' | SystemCode | undefined;
}

interface SignInRefusal extends ServiceRefusal {
  readonly email?: string | undefined;
}

interface BlobDamage {
  readonly chunk?: string;
  readonly problem?: 'length' | 'tag' | 'packing' | 'digest' | 'epoch';
}

/** A request that cannot be fulfilled as it stands, by `problem`. */
export type UsageDetails =
  /** `message` is the whole sentence: it names an option, or came from the part that refused. */
  | { readonly problem: UsageTopic; readonly message: string }
  | { readonly problem: 'service-address'; readonly address: string; readonly expected: string }
  | { readonly problem: 'target-relative'; readonly target: string; readonly expected: string }
  | { readonly problem: 'schedule'; readonly schedule: string; readonly forms: readonly string[] | string }
  | { readonly problem: 'preset'; readonly preset: string; readonly known: readonly string[] }
  | { readonly problem: 'set-name'; readonly name: string }
  /** A pattern that is the path of something in no source. `root` is one of the set's paths. */
  | { readonly problem: 'exclusion-outside'; readonly pattern: string; readonly root: string }
  | { readonly problem: 'set-without-paths' }
  | { readonly problem: 'hook-command' }
  | { readonly problem: 'hook-batch-file' }
  | { readonly problem: 'ping-address'; readonly address: string }
  | { readonly problem: 'nested-paths'; readonly inner: string; readonly outer: string }
  | { readonly problem: 'inside-own-folder'; readonly path: string; readonly folder: string }
  | { readonly problem: 'path-escape'; readonly path: string }
  | { readonly problem: 'exact-without-rules'; readonly set: string }
  | { readonly problem: 'exact-unread'; readonly restorePoint: string }
  | { readonly problem: 'choice-unmet'; readonly path: string }
  | { readonly problem: 'file-unreadable'; readonly file: string; readonly reason: SystemCode | undefined }
  | { readonly problem: 'file-empty'; readonly file: string }
  | { readonly problem: 'destination-foreign'; readonly directory: string }
  | { readonly problem: 'destination-newer'; readonly directory: string }
  /** HOME is not set, and no account is of this user. `path` is what was written with `~`. */
  | { readonly problem: 'no-home'; readonly path: string | undefined }
  | { readonly problem: 'destination-kind' }
  | { readonly problem: 'destination-same'; readonly directory: string }
  | { readonly problem: 'destination-other'; readonly directory: string }
  | { readonly problem: 'destination-older'; readonly directory: string; readonly set: string }
  /** The only destination cannot be removed. */
  | { readonly problem: 'destination-last' }
  | { readonly problem: 'destination-name'; readonly name: string }
  | { readonly problem: 'device-unknown'; readonly device: string; readonly known?: readonly string[] }
  | { readonly problem: 'device-id-needed' }
  | { readonly problem: 'devices-without-service' }
  | { readonly problem: 'rotation-own-device' }
  | { readonly problem: 'code-of-service' }
  | { readonly problem: 'run-unknown'; readonly run: number }
  | { readonly problem: 'folder-not-missed'; readonly set: string; readonly path: string }
  | { readonly problem: 'factor-missing'; readonly address: string }
  | { readonly problem: 'bucket-address'; readonly bucket: string }
  | { readonly problem: 'bucket-endpoint'; readonly endpoint: string }
  | { readonly problem: 'bucket-keys' }
  | { readonly problem: 'bucket-unconditional'; readonly bucket: string }
  | { readonly problem: 'bucket-without-locks'; readonly bucket: string }
  /** `found` is the version of a program that is too old. */
  | {
      readonly problem: 'rclone-missing';
      readonly program: string;
      readonly needed: string;
      readonly found?: string | undefined;
    }
  /** rclone cannot list its remotes. */
  | { readonly problem: 'rclone-unreadable'; readonly program: string }
  | { readonly problem: 'limit-without-service'; readonly directory: string }
  | { readonly problem: 'ssh-host'; readonly host: string }
  /** Not a path of this computer, or not certainly one. `meant` is what to write, if that is clear. */
  | { readonly problem: 'local-path'; readonly path: string; readonly meant?: string | undefined }
  | { readonly problem: 'sftp-address'; readonly address: string }
  | { readonly problem: 'webdav-address'; readonly address: string }
  | { readonly problem: 'rclone-address'; readonly address: string }
  /** Nobody has confirmed the host key of an SSH server, whose fingerprint this is. */
  | { readonly problem: 'host-key-unconfirmed'; readonly address: string; readonly fingerprint: string }
  /** The destination is not an SSH server. */
  | { readonly problem: 'host-key-without-ssh'; readonly address: string }
  | { readonly problem: 'ssh-key-missing'; readonly address: string }
  | { readonly problem: 'check-of-service'; readonly address: string }
  | { readonly problem: 'free-of-service'; readonly address: string }
  | { readonly problem: 'passphrase-empty' };

export type UsageTopic = 'options' | 'watch' | 'retention' | 'service' | 'environment' | 'unavailable';

/** An invalid recovery phrase. `position` counts from 1; `suggestion` is the only word of the list that is near. */
type PhraseDetails =
  | { readonly problem: 'words'; readonly count: number; readonly expected: number }
  | {
      readonly problem: 'unknown-word';
      readonly word: string;
      readonly position: number;
      readonly suggestion?: string | undefined;
    }
  | { readonly problem: 'checksum' };

type PermissionDetails =
  | (ServiceRefusal & {
      readonly problem?: 'sign-in-needed' | 'fresh-code-needed' | 'first-computer';
      readonly bucket?: undefined;
    })
  /** A server refused a sign-in, the private key cannot be read, or the server offers no SFTP. */
  | {
      readonly address: string;
      readonly reason: 'authentication' | 'private-key' | 'sftp';
      readonly status?: number;
      readonly detail?: string;
      readonly problem?: undefined;
      readonly bucket?: undefined;
    }
  | {
      readonly problem?: 'bucket-write' | 'bucket-read' | 'bucket-delete';
      readonly bucket: string;
      readonly detail?: string;
      /** The end of the file's lock, in milliseconds since the epoch, if only that forbids it. */
      readonly lockedUntil?: number;
    };

type Paths = readonly string[];

/**
 * Every failure that a person or a script can meet, with what its sentence needs to know. A code is stable; a failure
 * without one is a bug. Details cross process borders and are stored, so they are plain JSON values.
 */
export interface ErrorDetails {
  // the request
  readonly usage: UsageDetails;
  readonly set_unknown: {
    readonly set: string;
    readonly known: readonly string[];
    readonly deviceId?: string | undefined;
    /** Those of all devices at the destinations, where a set to read was looked for. */
    readonly stored?: readonly { readonly set: string; readonly deviceId: string; readonly deviceName: string }[];
  };
  readonly set_exists: { readonly set: string };
  /** Without details: it was removed meanwhile. */
  readonly destination_unknown: { readonly destination?: string; readonly known?: readonly string[] };
  readonly destination_exists: { readonly destination: string };
  /** `names` are those in `parent`, the nearest folder that exists. */
  readonly path_not_found: {
    readonly path: string;
    readonly parent?: string | undefined;
    readonly names?: readonly string[];
  };
  /** Times as ISO 8601. */
  readonly no_restore_point: ServiceRefusal & {
    readonly set?: string;
    readonly deviceId?: string;
    readonly time?: string;
    readonly nearest?: readonly string[] | undefined;
    readonly later?: string;
    /** `not-exact`: the request has to name the time of one. `no-earlier`: none is known before `later`. `removed`: it was there. */
    readonly problem?: 'not-exact' | 'no-earlier' | 'removed';
  };
  readonly time_invalid: { readonly time: string; readonly problem?: 'future' };
  readonly not_set_up: { readonly home?: string };
  readonly already_set_up: { readonly home: string; readonly destination: string };

  // sources
  readonly source_missing: {
    readonly path: string;
    readonly problem?: 'link' | 'replaced' | SystemCode | undefined;
    /** What the link at the path says. */
    readonly target?: string;
  };
  /** `earlier-content`: the catalog does not know the last versions of what could not be read at `count` paths. */
  readonly source_unreadable: Unreadable & { readonly count?: number };
  readonly source_not_mounted:
    | { readonly path: string; readonly problem?: 'replaced' | 'earlier-disk' }
    /** `count` is that of all. */
    | { readonly path: string; readonly problem: 'earlier-disks'; readonly count: number; readonly others: Paths };
  /** `before` is the number of entries at the last backup. */
  readonly source_empty: { readonly path: string; readonly before?: number; readonly directory: boolean };
  readonly sources_keep_changing: {};
  /** The command before a backup failed. What it wrote is stored elsewhere, since it may contain secrets. */
  readonly command_failed: {
    readonly problem?: 'timeout' | 'not-started';
    readonly exitCode?: number;
    readonly seconds: number;
  };

  // keys and sign-in
  readonly keychain_unavailable: { readonly problem: 'no-key' | 'no-answer' | (string & {}) };
  readonly phrase_invalid: PhraseDetails;
  readonly phrase_other_account: { readonly deviceId?: string; readonly backupSet?: string };
  readonly phrase_needed: {};
  readonly key_code_wrong: {};
  readonly passphrase_wrong: {};
  readonly password_wrong: SignInRefusal;
  readonly code_needed: { readonly email?: string | undefined; readonly factor: string };
  readonly code_wrong: SignInRefusal;
  readonly provider_refused: {
    readonly address: string;
    readonly status?: number;
    readonly detail?: string | undefined;
  };
  readonly signed_out: SignInRefusal & { readonly problem?: 'sign-in-needed' };
  readonly device_refused: ServiceRefusal & { readonly deviceId?: string };
  /** Another computer continues the backups of this device, for example since its disk was copied. */
  readonly device_cloned: { readonly deviceId: string };
  /** The key of the backups was changed, and this computer does not have the new one. */
  readonly key_outdated: { readonly problem?: 'removed' };
  /** The key of the backups was changed during a run, which has to begin again. */
  readonly key_changed: {};
  /** `aheadMs` is negative if this computer's clock is behind. */
  readonly clock_wrong: ServiceRefusal & { readonly aheadMs?: number | undefined };
  readonly permission_denied: PermissionDetails;

  // the service
  readonly service_unreachable: {
    readonly address: string;
    readonly reason?: 'certificate' | 'host-key' | 'tls' | (string & {});
  };
  /** `field` is the field with the wrong shape. `not-stored`: it does not have what it has answered to have stored. */
  readonly service_broken: ServiceRefusal & {
    readonly address: string;
    readonly problem?: 'not-stored';
    readonly contentType?: string;
    readonly field?: string;
  };
  readonly service_error: ServiceRefusal;
  readonly service_busy: ServiceRefusal & { readonly retryAfterSeconds?: number | undefined };
  readonly service_answer_suspicious: {
    readonly problem: 'key-envelope' | 'sealed-name' | 'unknown-chunks-needed' | 'point-moved-back' | 'too-many-files';
    readonly path?: string;
    readonly chunks?: number;
  };
  readonly quota_exceeded: ServiceRefusal;
  readonly report_not_set_up: {};
  /** A mail server did not take a report: for these addresses, or at all. `problem` is a code of the library or the system then. */
  readonly mail_failed: {
    readonly server: string;
    /** `refused`: some addresses of several; `all-refused`: each one, or that of the sender. */
    readonly problem?: 'refused' | 'all-refused' | 'sign-in' | 'unreachable' | 'certificate' | 'no-tls';
    /** Those that were refused, with commas. */
    readonly addresses?: string;
    /** What the server or the system said. */
    readonly detail?: string;
  };
  readonly retention_refused: { readonly reason: string | undefined };

  // storage and disks
  readonly destination_full: ServiceRefusal & {
    readonly directory?: string;
    readonly problem?: SystemCode | undefined;
  };
  /** `fileSystem`: the kind of a mount that is no disk (`sshfs`, `nfs4`), if that may be the reason. `cut-off`: a file that is there is not given out. */
  readonly destination_unwritable: {
    readonly directory: string;
    readonly problem?: 'EIO' | 'ENOTDIR' | 'cut-off' | SystemCode | undefined;
    readonly fileSystem?: string;
  };
  /** `failing`: its disk reports errors. `undescribed`: `holdfast.json` and its copy are damaged. `hidden`: they were deleted in a bucket that still has them. */
  readonly destination_missing: {
    readonly directory: string;
    readonly problem?: 'bucket' | 'damaged' | 'rclone' | 'forged' | 'exchanged' | 'failing' | 'undescribed' | 'hidden';
  };
  /** A step of a trial failed. `reason` is what the store answered, if anything. */
  readonly destination_unfit: {
    readonly directory: string;
    readonly problem: 'write' | 'read' | 'refuse' | 'list' | 'delete' | 'altered' | 'unlisted';
    readonly detail?: string;
  };
  /** `needed` and `free` in bytes. */
  readonly target_full: {
    readonly target: string;
    readonly needed?: number;
    readonly free?: number;
    readonly problem?: SystemCode;
  };
  readonly target_unwritable: {
    readonly target: string;
    readonly reason?: SystemCode;
    readonly problem?: 'gone' | SystemCode;
  };
  readonly target_inside_source: { readonly target: string; readonly source: string };
  /** `conflicts` are the first of `total`. */
  readonly target_conflict: { readonly target: string; readonly conflicts: readonly string[]; readonly total: number };
  readonly undo_nothing: {};
  /** The newest record of a restore was not written by this home. */
  readonly undo_untrusted: { readonly file: string };
  /**
   * `system` and `device`: there is no FUSE. `program`: there is no fusermount3. `refused`: it refused, with `detail`; `not-for-others`:
   * only to let other users read. `stale`: what was
   * mounted there has ended.
   */
  readonly mount_failed: {
    readonly mountpoint: string;
    readonly problem:
      | 'system'
      | 'device'
      | 'program'
      | 'refused'
      | 'not-for-others'
      | 'stale'
      | 'missing'
      | 'not-utf8'
      | 'not-empty';
    readonly detail?: string;
  };
  /** `detail`: what systemctl said, without a full stop. */
  readonly timer_failed: { readonly detail: string; readonly problem?: 'no-systemd' | 'long-name' };
  /** `since` as ISO 8601. */
  readonly home_busy: {
    readonly home?: string;
    readonly pid?: number | undefined;
    readonly command?: string | undefined;
    readonly since?: string | undefined;
  };
  readonly home_unwritable: { readonly file?: string; readonly problem?: SystemCode | undefined };
  /** The system failed where no sentence of its own belongs. `system` is its code. */
  readonly system_failed: {
    readonly problem: 'full' | 'disk' | 'memory' | 'files';
    readonly path?: string | undefined;
    readonly system: SystemCode;
  };
  /** `kept` is the copy from before the newest change. */
  readonly home_damaged: {
    readonly file?: string;
    readonly problem?: 'missing' | 'newer-version' | 'earlier-version' | (string & {});
    readonly kept?: string | undefined;
  };

  // data
  readonly chunk_missing: ServiceRefusal & { readonly chunk?: string; readonly chunks?: readonly string[] };
  readonly chunk_tampered: BlobDamage;
  readonly chunk_corrupt: BlobDamage;
  readonly file_size_mismatch: { readonly path?: string };
  readonly tree_invalid:
    | { readonly reason: string; readonly deviceId?: string; readonly set?: string }
    /** Made by a device that was removed, with a key that was replaced before. */
    | { readonly reason: 'revoked'; readonly deviceId: string; readonly set: string };
  /** `repeatedly`: too often to be resumed again. */
  readonly interrupted: { readonly problem?: 'repeatedly' };

  // the window
  /** A call that is not allowed, or not now. */
  readonly refused: {
    readonly problem:
      | 'input'
      | 'link'
      | 'listing-closed'
      | 'lock-off'
      | 'locked'
      | 'method'
      | 'no-service'
      | 'no-sessions'
      | 'person'
      | 'phrase-confirmed'
      | 'preview'
      | 'sender';
  };
  /** The agent's process ended; it is being started again. */
  readonly agent_gone: {};
  /** A bug. */
  readonly internal: { readonly problem?: string };
  readonly lock_password_wrong: { readonly seconds?: number };
  readonly lock_password_needed: {};
  readonly lock_wait: { readonly seconds?: number };
  readonly lock_damaged: {};
}
