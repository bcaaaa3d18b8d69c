import { expect, test } from 'vitest';
import { chooseMasterKey } from '../../../../src/agent/setup/master-key.ts';
import { newDeviceKey } from '../../../../src/format/crypto/device-key.ts';
import { readEnvelope } from '../../../../src/format/crypto/key-envelope.ts';
import { keyIdOf, newMasterKey, type MasterKey } from '../../../../src/format/crypto/keys.ts';
import { rotate } from '../../../../src/format/crypto/rotation.ts';
import { cheapSlot, emptyBody, encodedEnvelope } from '../../format/crypto/described-envelope.ts';

type Stored = Parameters<typeof chooseMasterKey>[1]['envelopes'][number];

const storedOf = (bytes: Uint8Array): Stored => ({ bytes, envelope: readEnvelope(bytes) });

/** An envelope with a passphrase, which costs little to open. */
async function closed(master: MasterKey, passphrase: string, more: object = {}): Promise<Stored> {
  const keyId = keyIdOf(master);
  const slots = [await cheapSlot(master, passphrase, { keyId })];
  return storedOf(encodedEnvelope({ ...emptyBody, key_id: keyId, slots, ...more }, master));
}

/** The envelope of a rotation, which no passphrase opens. */
async function rotated(master: MasterKey): Promise<Stored> {
  const membership = { author: newDeviceKey(), members: [], revoked: [], writers: new Map() };
  return storedOf((await rotate([{ epoch: 1, master }], undefined, membership, { now: 0 })).envelope);
}

const chosenBy = (passphrase: string, envelopes: readonly Stored[]) =>
  chooseMasterKey({ master: undefined, passphrase }, { hasBackups: true, envelopes });

test('a passphrase opens its envelope beside one that somebody made up, which says that it is newer', async () => {
  const master = newMasterKey();
  const honest = await closed(master, 'ours');
  const forged = await closed(newMasterKey(), 'theirs', { epoch: 9, since: 1 });
  for (const envelopes of [
    [honest, forged],
    [forged, honest],
  ]) {
    expect(keyIdOf((await chosenBy('ours', envelopes)).masterKey)).toBe(keyIdOf(master));
    await expect(chosenBy('neither', envelopes)).rejects.toMatchObject({ code: 'passphrase_wrong' });
  }
});

test('a passphrase from before a change of the key opens nothing if there is a newer one', async () => {
  const master = newMasterKey();
  const before = await closed(master, 'before');
  const next = newMasterKey();
  const envelopes = [before, await rotated(master), await closed(next, 'after', { epoch: 2 })];
  await expect(chosenBy('before', envelopes)).rejects.toMatchObject({ code: 'passphrase_wrong' });
  expect(keyIdOf((await chosenBy('after', envelopes)).masterKey)).toBe(keyIdOf(next));
  // Without a newer one it opens what was stored before.
  expect(keyIdOf((await chosenBy('before', envelopes.slice(0, 2))).masterKey)).toBe(keyIdOf(master));
});
