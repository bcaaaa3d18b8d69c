import { describe, expect, test } from 'vitest';
import type { Destination } from '../../../../src/model/destination.ts';
import { defaultName, isNameTaken } from '../../../../src/agent/home/destination-name.ts';

const folder = (directory: string): Destination => ({ kind: 'folder', directory });
const SERVICE: Destination = {
  kind: 'service',
  url: 'https://backup.example.org:8443/holdfast',
  signIn: { kind: 'device' },
};

describe('the default name of a destination', () => {
  test.each<readonly [Destination, string]>([
    [folder('/media/anna/Backup disk/holdfast'), 'Backup disk'],
    [folder('/media/anna/Backup disk/Holdfast/'), 'Backup disk'],
    [folder('D:\\Backups'), 'Backups'],
    [folder('/srv/backups'), 'backups'],
    [folder('/holdfast'), 'holdfast'],
    [folder('/'), '/'],
    [{ kind: 'bucket', address: 's3://photos/laptop', region: 'eu-central-1' }, 'photos'],
    [{ kind: 'sftp', host: 'nas.local', user: 'anna', path: '/backups', hostKey: 'SHA256:x' }, 'nas.local'],
    [{ kind: 'webdav', url: 'https://cloud.example.org/dav' }, 'cloud.example.org'],
    [{ kind: 'rclone', remote: 'drive:backups' }, 'drive'],
    [SERVICE, 'backup.example.org'],
  ])('of %j is %s', (destination, name) => {
    expect(defaultName(destination, [])).toBe(name);
  });

  test('is numbered when another destination has it, whatever its case', () => {
    expect(defaultName(SERVICE, ['BACKUP.example.org', 'Office'])).toBe('backup.example.org 2');
    expect(defaultName(SERVICE, ['backup.example.org', 'backup.example.org 2'])).toBe('backup.example.org 3');
  });
});

test.each([
  ['office', true],
  [' Office ', true],
  ['Caf\u00e9', true],
  ['Office 2', false],
])('the name %j is taken: %s', (name, isTaken) => {
  expect(isNameTaken(name, ['Office', 'Cafe\u0301'])).toBe(isTaken);
});
