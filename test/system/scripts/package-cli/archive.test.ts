import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chownSync, mkdtempSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { writeTar } from '../../../../scripts/package-cli/formats/archive.ts';
import { systemVersion } from '../../../../scripts/package-cli/formats/metadata.ts';
import { PackageTree } from '../../../../scripts/package-cli/tree.ts';

const EPOCH = 1_700_000_000;

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'holdfast-archive-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** Writes files one after the other under a umask, gives them a time, and returns the archive. */
function archiveOf(names: readonly string[], umask: number, seconds: number): string {
  const previous = process.umask(umask);
  const place = folder();
  const tree = new PackageTree(join(place, 'tree'));
  for (const name of names) tree.write(name, `text of ${name}`, name.startsWith('bin/') ? 0o755 : 0o644);
  tree.link('../lib/program', 'bin/link');
  process.umask(previous);
  for (const path of [...names, 'bin', 'lib']) {
    utimesSync(join(tree.folder, path), seconds, seconds);
    if (process.getuid?.() === 0) chownSync(join(tree.folder, path), 1234, 1234);
  }
  const file = join(place, 'archive.tar');
  writeTar(tree.folder, file, 'holdfast-1', EPOCH);
  return file;
}

const digest = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');

describe('an archive', () => {
  test('has the same bytes whatever the order, the umask and the times of its files were', () => {
    const one = archiveOf(['bin/program', 'lib/a', 'lib/b'], 0o022, 1_600_000_000);
    const other = archiveOf(['lib/b', 'lib/a', 'bin/program'], 0o077, 1_650_000_000);
    expect(digest(other)).toBe(digest(one));
    expect(digest(archiveOf(['bin/program', 'lib/a', 'lib/c'], 0o022, EPOCH))).not.toBe(digest(one));
  });

  test('belongs to root, has one time, and relative links', () => {
    const file = archiveOf(['bin/program', 'lib/a'], 0o077, 1_600_000_000);
    const words = ['--list', '--verbose', '--numeric-owner', '--full-time', '--utc', '--file', file];
    const lines = execFileSync('tar', words, { encoding: 'utf8' }).trim().split('\n');
    expect(lines.map((line) => line.replace(/ +/g, ' ').replace(/ \d+ 2023-11-14 22:13:20/, ''))).toEqual([
      'drwxr-xr-x 0/0 holdfast-1/',
      'drwxr-xr-x 0/0 holdfast-1/bin/',
      'lrwxrwxrwx 0/0 holdfast-1/bin/link -> ../lib/program',
      '-rwxr-xr-x 0/0 holdfast-1/bin/program',
      'drwxr-xr-x 0/0 holdfast-1/lib/',
      '-rw-r--r-- 0/0 holdfast-1/lib/a',
    ]);
  });
});

test('a trial version is older than the version for dpkg and rpm', () => {
  expect(systemVersion('1.0.0-beta.1')).toBe('1.0.0~beta.1');
});
