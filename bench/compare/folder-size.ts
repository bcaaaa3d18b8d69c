import { spawnSync } from 'node:child_process';

export interface FolderSize {
  readonly files: number;
  readonly bytes: number;
}

/** Counts the regular files below a folder, and their sizes. */
export function folderSize(folder: string): FolderSize {
  const script = 'find "$1" -type f -printf "%s\\n" | awk \'{ bytes += $1 } END { printf "%d %.0f", NR, bytes }\'';
  const { stdout } = spawnSync('sh', ['-c', script, 'sh', folder], { encoding: 'utf8' });
  const [files, bytes] = stdout.split(' ').map(Number);
  return { files: files ?? 0, bytes: bytes ?? 0 };
}
