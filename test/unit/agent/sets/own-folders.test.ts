import { expect, test } from 'vitest';
import { homeAt } from '../../../../src/agent/home/home.ts';
import { settingsFor } from '../../../../src/agent/home/settings.ts';
import { ownFolders } from '../../../../src/agent/sets/own-folders.ts';
import { folderEntry, storedSettings } from '../../../helpers/stored-settings.ts';

const settings = storedSettings({
  destinations: [folderEntry('00000003', '/media/new'), folderEntry('00000004', '/media/other')],
  former: [
    { ...folderEntry('00000002', '/home/anna/backups'), leftAt: 1 },
    {
      ...folderEntry('00000001', ''),
      destination: { kind: 'service', url: 'https://backup.example.org', signIn: { kind: 'device' } },
      leftAt: 0,
    },
  ],
});

test('skips the backups at all destinations and the former ones', () => {
  expect(ownFolders(homeAt('/home/anna/holdfast'), settingsFor(settings, '00000004'))).toEqual([
    '/home/anna/holdfast',
    '/media/other',
    '/media/new',
    '/home/anna/backups',
  ]);
});
