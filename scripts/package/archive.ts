import { basename, dirname } from 'node:path';
import { run } from './run.ts';

/**
 * Packs a program folder as tar.gz, with the same bytes for the same contents.
 *
 * @param name of the archive without its ending, and of its only folder
 * @param epoch the time of all files, in seconds
 */
export function archiveOf(folder: string, name: string, epoch: string): string {
  const file = `${dirname(folder)}/${name}.tar.gz`;
  run('tar', [
    '--sort=name',
    '--format=gnu',
    `--mtime=@${epoch}`,
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    // Whatever the umask of the build was.
    '--mode=u+rwX,go+rX,go-w',
    `--transform=s,^${basename(folder)},${name},`,
    '--use-compress-program',
    process.env['HOLDFAST_PACKAGE_FAST'] === '1' ? 'gzip -n -1' : 'gzip -n -9',
    '-C',
    dirname(folder),
    '-cf',
    file,
    basename(folder),
  ]);
  return file;
}
