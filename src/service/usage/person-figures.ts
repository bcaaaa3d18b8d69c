import { backupStats } from '../../protocol/backup.ts';

interface SessionFigures {
  readonly files: number;
  readonly bytes: number;
  readonly stats_json: string | null;
}

/** Entries that an agent adds to a manifest for itself: its tree and its keys. */
const OWN_ENTRIES = 2;

/**
 * Returns the files of a run without those that the agent adds for itself, as the agent shows them. A run that has counted other files than
 * its manifest lists, as one that skipped some, has the figures of its manifest.
 */
export function personFigures({ files, bytes, stats_json: json }: SessionFigures): { files: number; bytes: number } {
  const stats = json === null ? undefined : backupStats.safeParse(JSON.parse(json)).data;
  const own = stats ? files - stats.files_processed : 0;
  if (!stats || own <= 0 || own > OWN_ENTRIES) return { files, bytes };
  return { files: stats.files_processed, bytes: Math.min(bytes, stats.bytes_scanned) };
}
