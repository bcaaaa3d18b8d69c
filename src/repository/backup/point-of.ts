import { randomBytes } from 'node:crypto';
import type { BackupStats } from '../../protocol/backup.ts';
import type { FactOf } from '../../format/repository/facts.ts';
import type { PointTime } from './point-time.ts';
import type { BackupSession } from './backup-session.ts';

/** Returns the restore point that a session ends with. */
export function pointOf(
  { set, tree, envelope }: BackupSession,
  stats: BackupStats,
  { time, completed }: PointTime,
  stored: number,
): FactOf<'point'> {
  if (!tree) throw new Error('a manifest without a tree');
  const { files_processed: files, bytes_scanned: bytes } = stats;
  const id = randomBytes(16);
  const own = { id, ...set, time, ...(completed !== undefined && { completed }) };
  return { kind: 'point', ...own, tree, envelope: envelope ?? null, files, bytes, stored };
}
