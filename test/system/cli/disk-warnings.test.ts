import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { diskWarnings } from '../../../src/cli/commands/setup/disk-warnings.ts';
import { Workplace } from '../e2e/workplace.ts';
import { slashedText } from '../../helpers/slashed-paths.ts';

const SAME_DISK = 'is on the same disk as your home folder: if that disk fails, you lose both';

test('setup and a further destination say that they are on the disk of the home folder, and where they are not', async () => {
  using workplace = new Workplace();
  workplace.environment['HOME'] = workplace.folder;
  const first = await workplace.run('setup', '--destination', workplace.destination);
  expect(first.status).toBe(0);
  expect(slashedText(first.stderr)).toContain(`${workplace.destination} ${SAME_DISK}`);
  const second = await workplace.run('destination', 'add', '--destination', workplace.path('second'));
  expect(slashedText(second.stderr)).toContain(`${workplace.path('second')} ${SAME_DISK}`);
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

const OWN = async (): Promise<boolean> => true;

test('a folder where disks are mounted is named with the place that has none', async () => {
  const at = async (directory: string, hasMount: boolean): Promise<readonly string[]> =>
    diskWarnings({ kind: 'folder', directory }, OWN, () => hasMount);
  for (const place of ['/media/disk', '/mnt/disk', '/run/media/disk', '/Volumes/disk']) {
    expect(await at(`${place}/backups`, false)).toEqual([
      expect.stringContaining(`No other disk is mounted at ${place}.`),
    ]);
    // Another partition of the same disk.
    expect(await at(`${place}/backups`, true)).toEqual([expect.not.stringContaining('mounted')]);
  }
  expect(await at('/home/anna/media/disk', false)).toEqual([expect.not.stringContaining('mounted')]);
});

test('no warning is given of another disk, an unknown one, or a destination that is no folder', async () => {
  const folder = { kind: 'folder', directory: '/media/disk' } as const;
  expect(await diskWarnings(folder, async () => false)).toEqual([]);
  expect(await diskWarnings(folder, async () => undefined)).toEqual([]);
  expect(await diskWarnings(folder, () => Promise.reject(new Error('no lsblk')))).toEqual([]);
  const service = { kind: 'service', url: 'https://backup.example.org/', signIn: { kind: 'device' } } as const;
  expect(await diskWarnings(service, OWN)).toEqual([]);
});
