import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { openStorage, type StorageLocation } from '../../../src/storage/open-storage.ts';
import { newRepositoryFolder, placeIn } from './folder-place.ts';

const credentials = {
  bucket: { accessKeyId: 'key', secretAccessKey: 'secret' },
  sftp: { kind: 'password', password: 'secret' },
} as const;

const LOCATIONS: readonly (readonly [StorageLocation, address: string])[] = [
  [{ kind: 'bucket', bucket: 'backups', prefix: 'anna/', region: 'eu' }, 's3://backups/anna'],
  [
    { kind: 'sftp', host: 'nas.local', port: 22, user: 'anna', path: '/volume1/backups', fingerprint: 'SHA256:x' },
    'sftp://anna@nas.local/volume1/backups',
  ],
  [
    { kind: 'sftp', host: '::1', port: 2222, user: 'anna', path: 'backups', fingerprint: 'SHA256:x' },
    'sftp://anna@[::1]:2222/~/backups',
  ],
  [{ kind: 'webdav', url: 'https://cloud.example/dav/backups' }, 'https://cloud.example/dav/backups/'],
  [{ kind: 'rclone', remote: 'drive:backups' }, 'rclone:drive:backups'],
];

describe('opening a store', () => {
  test.each(LOCATIONS)('%j has an address without secrets', async (location, address) => {
    const storage = await openStorage(location, credentials, { clock: systemClock });
    expect(storage.address).toBe(address);
    await storage[Symbol.asyncDispose]();
  });

  test('opens a folder, which has to have a repository unless it is new', async () => {
    const directory = newRepositoryFolder();
    onTestFinished(placeIn(directory).close);
    const storage = await openStorage({ kind: 'folder', directory }, {}, { clock: systemClock });
    expect(storage.address).toBe(directory);
    await storage.delete('holdfast.json');
    const location = { kind: 'folder', directory } as const;
    await expect(openStorage(location, {}, { clock: systemClock })).rejects.toMatchObject({
      code: 'destination_missing',
    });
    const created = await openStorage(location, {}, { clock: systemClock, isNew: true });
    expect(await created.put('holdfast.json', [Buffer.from('{}')])).toBe('created');
  });

  test('loads no library that the location does not need', () => {
    const module = join(import.meta.dirname, '../../../src/storage/open-storage.ts');
    const script = `
      import { registerHooks } from 'node:module';
      registerHooks({ load: (url, context, next) => {
        if (/node_modules.(ssh2|@aws-sdk|undici)/.test(url)) console.log(url);
        return next(url, context);
      } });
      const { openStorage } = await import(${JSON.stringify(module)});
      await openStorage({ kind: 'folder', directory: '/nowhere' }, {}, {}).catch((error) => console.log(error.code));`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(stdout).toBe('destination_missing\n');
  });
});
