import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { AccountAccess } from '../../../../../src/agent/destination/keys/account-keys.ts';
import { readServiceEnvelopes } from '../../../../../src/agent/destination/keys/service-envelopes.ts';
import { HoldfastError } from '../../../../../src/base/errors/errors.ts';
import { sealChunk } from '../../../../../src/format/crypto/blob.ts';
import { ENVELOPE_CHUNK_KEY } from '../../../../../src/format/crypto/chunk-keys.ts';
import { createEnvelope } from '../../../../../src/format/crypto/key-envelope.ts';
import { newMasterKey } from '../../../../../src/format/crypto/keys.ts';
import { KEYS_PATH } from '../../../../../src/protocol/path.ts';

const NEWEST = '2026-11-01T12:00:00.000Z';
const READER = { deviceId: 'own', sets: ['documents'] };
const envelope = await createEnvelope(newMasterKey());

/** A service with sets of several devices, by `device/set`, and the failures of some. */
function serviceWith(
  sets: Readonly<Record<string, Error | 'lost' | Uint8Array>>,
  lists: 'all' | 'none' | 'denied' = 'all',
): { readonly access: AccountAccess; readonly read: string[] } {
  const read: string[] = [];
  const ids = [...new Set(Object.keys(sets).map((name) => name.split('/')[0]!))];
  const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();
  const service = {
    now: () => Date.parse(NEWEST),
    capabilities: async () => new Set(),
    devices: async () => ids.map((id) => ({ id, name: id, os: '', agent_version: '', status: 'healthy' })),
    backupSets: async (device: string) => {
      if (lists === 'denied') throw new HoldfastError('permission_denied', {});
      if (lists === 'none') return undefined;
      const names = Object.keys(sets).filter((name) => name.startsWith(`${device}/`));
      return names.map((name) => ({ name: name.split('/')[1], last_restore_point: NEWEST }));
    },
    restoreManifest: async (request: { device_id: string; backup_set: string }, onFiles: (files: object[]) => void) => {
      const name = `${request.device_id}/${request.backup_set}`;
      read.push(name);
      const found = sets[name];
      if (found === undefined) throw new HoldfastError('service_error', { status: 404 });
      if (found instanceof Error) throw found;
      const bytes = found === 'lost' ? Buffer.from('lost') : found;
      onFiles([{ path: KEYS_PATH, chunks: [`sha256:${digestOf(bytes).toString('hex')}`] }]);
      return { restore_session_id: name, point_in_time: NEWEST };
    },
  };
  const downloader = {
    concurrency: 1,
    download: async (
      session: string,
      [hash]: readonly string[],
      onBlob: (hash: string, blob: Uint8Array | undefined) => void,
    ) => {
      const bytes = sets[session];
      const key = { epoch: 0, key: ENVELOPE_CHUNK_KEY };
      onBlob(hash!, bytes instanceof Uint8Array ? sealChunk(key, bytes) : undefined);
    },
  };
  return { access: { service, downloader } as unknown as AccountAccess, read };
}

function namesOf(envelopes: readonly { readonly deviceId: string; readonly backupSet: string }[]): readonly string[] {
  return envelopes.map(({ deviceId, backupSet }) => `${deviceId}/${backupSet}`);
}

describe('the key envelopes at a service', () => {
  test('are read of all sets, and again only when a set of another device has changed', async () => {
    const { access, read } = serviceWith({ 'own/documents': envelope, 'other/photos': envelope });
    const first = await readServiceEnvelopes(access, READER, []);
    expect(namesOf(first.envelopes)).toEqual(['own/documents', 'other/photos']);
    expect(read).toEqual(['own/documents', 'other/photos']);
    const second = await readServiceEnvelopes(access, READER, first.envelopes);
    expect(second.envelopes).toEqual(first.envelopes);
    expect(read).toHaveLength(2);
    const older = first.envelopes.map((one) => Object.assign({}, one, { restorePoint: '2026-10-01T12:00:00.000Z' }));
    await readServiceEnvelopes(access, READER, older);
    expect(read.slice(2)).toEqual(['other/photos']);
  });

  test.each(['none', 'denied'] as const)('are read of the sets of the same names if the list is %s', async (lists) => {
    const { access } = serviceWith(
      { 'own/documents': envelope, 'other/documents': envelope, 'third/photos': envelope },
      lists,
    );
    const { envelopes } = await readServiceEnvelopes(access, READER, []);
    expect(namesOf(envelopes)).toEqual(['own/documents', 'other/documents']);
  });

  test('are left out where they are lost, damaged or not to be seen, and the others count', async () => {
    const { access } = serviceWith({
      'own/documents': envelope,
      'a/lost': 'lost',
      'b/none': new HoldfastError('no_restore_point', {}),
      'c/denied': new HoldfastError('permission_denied', {}),
      'd/broken': new HoldfastError('service_answer_suspicious', { problem: 'key-envelope' }),
      'e/junk': Buffer.from('no envelope'),
      'other/documents': envelope,
    });
    const { envelopes } = await readServiceEnvelopes(access, READER, []);
    expect(namesOf(envelopes)).toEqual(['own/documents', 'other/documents']);
  });

  test('are not taken for gone while the service cannot be reached', async () => {
    const { access } = serviceWith({
      'other/documents': new HoldfastError('service_unreachable', {} as never),
    });
    await expect(readServiceEnvelopes(access, READER, [])).rejects.toMatchObject({ code: 'service_unreachable' });
  });
});
