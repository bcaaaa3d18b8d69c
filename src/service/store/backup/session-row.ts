import type { BackupSession, SessionState } from '../metadata-store.ts';

/** A session as both databases read it, with the names of its device and its set. */
export interface SessionRow {
  readonly id: string;
  readonly number: number;
  readonly account_id: string;
  readonly device_id: string;
  readonly device_name: string;
  readonly set_number: number;
  readonly set_name: string;
  readonly state: SessionState;
  readonly created_at: number;
  readonly base: number;
  readonly files: number;
  readonly bytes: number;
  readonly bytes_needed: number;
  readonly chunks_needed: number;
  readonly chunks_deduped: number;
  readonly sequence: number | null;
  readonly backup_id: string;
  readonly restore_point: number;
  readonly storage_used: number;
}

export function sessionOf(row: SessionRow): BackupSession {
  const { sequence } = row;
  return {
    id: row.id,
    number: row.number,
    accountId: row.account_id,
    deviceId: row.device_id,
    deviceName: row.device_name,
    setNumber: row.set_number,
    setName: row.set_name,
    state: row.state,
    createdAt: row.created_at,
    base: row.base,
    totals: {
      files: row.files,
      bytes: row.bytes,
      bytesNeeded: row.bytes_needed,
      chunksNeeded: row.chunks_needed,
      chunksDeduped: row.chunks_deduped,
    },
    run:
      sequence === null
        ? undefined
        : {
            sequence,
            backupId: row.backup_id,
            restorePoint: row.restore_point,
            storageUsed: row.storage_used,
          },
  };
}
