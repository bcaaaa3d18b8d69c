import { describe, expect, test } from 'vitest';
import { setupDestination, type SetupChoice } from '../../src/cli/commands/setup/setup-choice.ts';

const device = { server: 'https://a.example', deviceId: 'd', deviceKey: 'k' } as const;
const provider = { server: 'https://a.example', provider: 'company' } as const;
const dialogue = { showAddress: () => {}, askCode: async () => '1' };
const person = { server: 'https://a.example', email: 'e', password: 'p' } as const;

describe('the options of setup', () => {
  test.each<readonly [SetupChoice, object]>([
    [{ destination: 'dir' }, { kind: 'folder', directory: 'dir' }],
    [
      { destination: 'dir', deviceId: 'd' },
      { kind: 'folder', directory: 'dir' },
    ],
    [
      { destination: 's3://bucket/prefix', endpoint: 'https://s3.example', region: 'eu-central-1' },
      { kind: 'bucket', address: 's3://bucket/prefix', endpoint: 'https://s3.example', region: 'eu-central-1' },
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
    [provider, { kind: 'provider', url: 'https://a.example', provider: 'company', ...dialogue }],
  ])('%j', (choice, destination) => {
    expect(setupDestination(choice, dialogue)).toEqual(destination);
  });

  test.each<readonly [SetupChoice, RegExp]>([
    [{}, /--destination DIR or --server URL/],
    [{ destination: '' }, /empty/],
    [{ destination: 'dir', server: 'https://a.example' }, /cannot be used together/],
    [{ destination: 'dir', email: 'e' }, /--email belongs to --server/],
    [{ destination: 'dir', deviceKey: 'k' }, /--device-key-file belongs to --server/],
    [{ destination: 'dir', code: '1' }, /--code belongs to --server/],
    [{ destination: 'ftp://bucket/prefix' }, /ftp:\/\/ .* not available in this version/],
    [{ destination: 'dir', endpoint: 'https://a.example' }, /--endpoint belongs/],
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
    expect(() => setupDestination(choice, dialogue)).toThrow(
      expect.objectContaining({
        code: 'usage',
        details: expect.objectContaining({ message: expect.stringMatching(message) }),
      }),
    );
  });
});
