import { expect, test } from 'vitest';
import { homeAt } from '../../../src/agent/home/home.ts';
import type { Settings } from '../../../src/agent/home/settings.ts';
import { ownFolders } from '../../../src/agent/sets/own-folders.ts';

const settings: Settings = {
  version: 1,
  destination: { kind: 'folder', directory: '/media/new' },
  deviceId: 'dev_2',
  deviceName: 'laptop',
  keyId: 'key',
  sets: [],
  former: [
    {
      destination: { kind: 'folder', directory: '/home/anna/backups' },
      deviceId: 'dev_1',
      deviceName: 'laptop',
      leftAt: 1,
    },
    {
      destination: { kind: 'service', url: 'https://backup.example.org', signIn: { kind: 'device' } },
      deviceId: 'dev_0',
      deviceName: 'laptop',
      leftAt: 0,
    },
  ],
};

test('skips the backups at a former destination', () => {
  expect(ownFolders(homeAt('/home/anna/holdfast'), settings)).toEqual([
    '/home/anna/holdfast',
    '/media/new',
    '/home/anna/backups',
  ]);
});
