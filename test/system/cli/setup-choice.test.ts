import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { setupDestination, type SetupChoice } from '../../../src/cli/commands/setup/setup-choice.ts';

const device = { server: 'https://a.example', deviceId: 'd', deviceKey: 'k' } as const;
const provider = { server: 'https://a.example', provider: 'company' } as const;
const dialogue = { showAddress: () => {}, askCode: async () => '1' };
const person = { server: 'https://a.example', email: 'e', password: 'p' } as const;

const FINGERPRINT = `SHA256:${'a'.repeat(43)}`;

describe('the options of setup', () => {
  test.each<readonly [SetupChoice, object]>([
    [{ destination: './dir' }, { kind: 'folder', directory: resolve('dir') }],
    [
      { destination: './dir', deviceId: 'd' },
      { kind: 'folder', directory: resolve('dir') },
    ],
    [
      { destination: 's3://bucket/prefix', endpoint: 'https://s3.example', region: 'eu-central-1' },
      { kind: 'bucket', address: 's3://bucket/prefix', endpoint: 'https://s3.example', region: 'eu-central-1' },
    ],
    [
      { destination: 's3://bucket', objectLock: 30 },
      { kind: 'bucket', address: 's3://bucket', endpoint: undefined, region: undefined, objectLockDays: 30 },
    ],
    [device, { kind: 'device', url: 'https://a.example', deviceKey: 'k' }],
    [person, { kind: 'user', url: 'https://a.example', email: 'e', password: 'p', code: undefined }],
    [
      { ...person, code: '1', deviceName: 'n' },
      { kind: 'user', url: 'https://a.example', email: 'e', password: 'p', code: '1' },
    ],
    [
      { ...person, deviceId: 'd' },
      { kind: 'user', url: 'https://a.example', email: 'e', password: 'p', code: undefined },
    ],
    [
      { destination: 'sftp://anna@nas.local/backups' },
      { kind: 'sftp', host: 'nas.local', user: 'anna', path: '/backups', confirmHostKey: expect.any(Function) },
    ],
    [
      { destination: 'sftp://nas.local:2222/~/b', user: 'anna', password: 'p', hostKey: `${FINGERPRINT}=` },
      {
        kind: 'sftp',
        host: 'nas.local',
        port: 2222,
        user: 'anna',
        path: 'b',
        authentication: { kind: 'password', password: 'p' },
        hostKey: FINGERPRINT,
      },
    ],
    [
      { destination: 'sftp://anna@nas/b', identity: '/keys/a', password: 'p', hostKey: FINGERPRINT },
      {
        kind: 'sftp',
        host: 'nas',
        user: 'anna',
        path: '/b',
        authentication: { kind: 'key-file', file: '/keys/a', passphrase: 'p' },
        hostKey: FINGERPRINT,
      },
    ],
    [
      { destination: 'davs://anna@cloud.example/dav', password: 'p' },
      { kind: 'webdav', url: 'https://cloud.example/dav/', user: 'anna', password: 'p' },
    ],
    [{ destination: 'dav://cloud.example/dav' }, { kind: 'webdav', url: 'http://cloud.example/dav/' }],
    [{ destination: 'rclone:drive:backups' }, { kind: 'rclone', remote: 'drive:backups' }],
    [provider, { kind: 'provider', url: 'https://a.example', provider: 'company', ...dialogue }],
  ])('%j', (choice, destination) => {
    expect(setupDestination(choice, dialogue, () => false)).toEqual(destination);
  });

  test.each<readonly [SetupChoice, RegExp]>([
    [{}, /--destination DIR or --server URL/],
    [{ destination: 'dir', server: 'https://a.example' }, /cannot be used together/],
    [{ destination: 'dir', email: 'e' }, /--email belongs to --server/],
    [{ destination: 'dir', deviceKey: 'k' }, /--device-key-file belongs to --server/],
    [{ destination: 'dir', code: '1' }, /--code belongs to --server/],
    [{ destination: 'dir', endpoint: 'https://a.example' }, /--endpoint belongs/],
    [{ destination: 'sftp://anna@nas/b', region: 'eu' }, /--region belongs/],
    [{ destination: 'folder', objectLock: 30 }, /--object-lock belongs/],
    [{ destination: 'sftp://anna@nas/b', user: 'anna' }, /leave out --user/],
    [{ destination: 'sftp://anna@nas/b', hostKey: 'aa:bb' }, /--host-key is a fingerprint/],
    [{ destination: 'dir', identity: 'k' }, /--identity belongs to --destination sftp/],
    [{ destination: 'davs://cloud.example/b', hostKey: FINGERPRINT }, /--host-key belongs to --destination sftp/],
    [{ destination: 'rclone:drive:b', user: 'anna' }, /--user belongs to/],
    [{ destination: 's3://bucket', password: 'p' }, /--password-file belongs to/],
    [{ destination: 'davs://anna@cloud.example/b' }, /needs --password-file/],
    [{ destination: 'davs://cloud.example/b', password: 'p' }, /needs a user/],
    [{ destination: 'https://cloud.example/b' }, /write davs:/],
    [{ server: 'https://a.example', user: 'anna' }, /--user belongs to/],
    [{ server: 'https://a.example', identity: 'k' }, /--identity belongs to/],
    [{ server: 'https://a.example', region: 'eu-central-1' }, /--region belongs/],
    [{ destination: 'dir', deviceId: 'd', deviceName: 'n' }, /--device-name/],
    [{ server: 'https://a.example' }, /needs --device-id/],
    [{ server: 'https://a.example', deviceId: 'd' }, /needs --device-id with --device-key-file/],
    [{ server: 'https://a.example', deviceKey: 'k' }, /--device-key-file needs --device-id/],
    [{ server: 'https://a.example', email: 'e' }, /--password-file/],
    [{ destination: 'dir', provider: 'company' }, /--provider belongs to --server/],
    [{ ...provider, email: 'e' }, /--provider cannot be used with/],
    [{ ...provider, deviceId: 'd', deviceKey: 'k' }, /--provider cannot be used with/],
    [{ ...device, email: 'e' }, /cannot be used together/],
    [{ ...device, code: '1' }, /cannot be used together/],
  ])('%j is refused', (choice, message) => {
    expect(() => setupDestination(choice, dialogue, () => false)).toThrow(
      expect.objectContaining({
        code: 'usage',
        details: expect.objectContaining({ message: expect.stringMatching(message) }),
      }),
    );
  });
});
