import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { diskWarnings } from '../../src/cli/commands/setup/disk-warnings.ts';
import { Workplace } from '../e2e/workplace.ts';

const SAME_DISK = 'is on the same disk as your home folder: if that disk fails, you lose both';

/** Windows has backslashes in the paths that it prints. */
function slashed(text: string): string {
  return text.replaceAll('\\', '/');
}

test('setup and a further destination say that they are on the disk of the home folder, and where they are not', async () => {
  using workplace = new Workplace();
  workplace.environment['HOME'] = workplace.folder;
  const first = await workplace.run('setup', '--destination', workplace.destination);
  expect(first.status).toBe(0);
  expect(slashed(first.stderr)).toContain(`${workplace.destination} ${SAME_DISK}`);
  const second = await workplace.run('destination', 'add', '--destination', workplace.path('second'));
  expect(slashed(second.stderr)).toContain(`${workplace.path('second')} ${SAME_DISK}`);
});

// Where temporary folders are in memory, as on most systems.
test.skipIf(statSync('/').dev === statSync(tmpdir()).dev)(
  'another disk than that of the home folder is as it should be',
  async () => {
    using workplace = new Workplace();
    workplace.environment['HOME'] = '/';
    const { status, stderr } = await workplace.run('setup', '--destination', workplace.destination);
    expect([status, stderr]).toEqual([0, '']);
  },
);

test('a folder where disks are mounted is named with the place that has none', () => {
  const at = (directory: string): readonly string[] => diskWarnings({ kind: 'folder', directory }, () => true);
  for (const directory of [
    '/media/disk/backups',
    '/mnt/disk/backups',
    '/run/media/disk/backups',
    '/Volumes/disk/backups',
  ]) {
    expect(at(directory)[0]).toContain(`No other disk is mounted at ${directory.slice(0, -'/backups'.length)}.`);
  }
  expect(at('/home/anna/media/disk')[0]).not.toContain('mounted');
  expect(diskWarnings({ kind: 'folder', directory: '/media/disk' }, () => false)).toEqual([]);
});
