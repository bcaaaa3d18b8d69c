import { rmSync } from 'node:fs';
import { runTool } from './run.ts';

/**
 * Packs a folder so that the same files give the same bytes: sorted, owned by root, of one time.
 *
 * @param name the folder at the top of the archive
 */
export function writeTar(folder: string, file: string, name: string, epoch: number): void {
  const owner = ['--owner=root:0', '--group=root:0', `--mtime=@${epoch}`];
  const names = ['--sort=name', `--transform=flags=rSH;s,^\\.,${name},`];
  runTool('tar', ['--create', '--file', file, '--format=gnu', ...owner, ...names, '--directory', folder, '.']);
}

/** Compresses a file with one thread: with several, the result depends on their number. The file is replaced by `FILE.xz`. */
export function compress(file: string, level: number): void {
  rmSync(`${file}.xz`, { force: true });
  runTool('xz', ['--threads=1', `-${level}`, file]);
}
