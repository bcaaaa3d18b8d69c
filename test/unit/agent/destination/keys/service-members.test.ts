import { describe, expect, test } from 'vitest';
import type { ServiceEnvelopes } from '../../../../../src/agent/destination/keys/service-envelopes.ts';
import { lostEnvelopes } from '../../../../../src/agent/destination/keys/service-envelopes.ts';
import { serviceMembers } from '../../../../../src/agent/destination/keys/service-members.ts';
import type { KnownEnvelope } from '../../../../../src/agent/destination/keys/known-envelopes.ts';
import { newDeviceKey, type DeviceKey } from '../../../../../src/format/crypto/device-key.ts';
import { createEnvelope, encodeEnvelope, readEnvelope } from '../../../../../src/format/crypto/key-envelope.ts';
import { firstEpoch, newMasterKey, type KeyRing } from '../../../../../src/format/crypto/keys.ts';
import { rotate } from '../../../../../src/format/crypto/rotation.ts';
import { settleKeys } from '../../../../../src/format/crypto/settle-keys.ts';

const desktop = newDeviceKey();
const laptop = newDeviceKey();
const thief = newDeviceKey();
const master = newMasterKey();
const first = firstEpoch(master);
const none = readEnvelope(await createEnvelope(master));

/** The envelope of the first epoch that a device stores. */
function stated(device: string, key: DeviceKey, time: string, of = device): KnownEnvelope {
  const bytes = encodeEnvelope({ ...none, holder: { device: of, key: key.publicKey } }, first);
  return { deviceId: device, backupSet: 'documents', restorePoint: time, bytes };
}

function found(envelopes: readonly KnownEnvelope[], remembered: readonly KnownEnvelope[] = []): ServiceEnvelopes {
  const devices = ['desktop', 'laptop'].map((id) => {
    return { id, name: id, os: '', agent_version: '', status: 'healthy' };
  });
  return { devices, envelopes, remembered };
}

function names(holders: readonly { readonly id: string }[]): readonly string[] {
  return holders.map(({ id }) => id).toSorted();
}

describe('the devices that get a new key at a service', () => {
  const settled = settleKeys({ ring: first, device: desktop, revoked: [] }, [none]);
  const known = { ring: first, settled, own: 'desktop' };
  const both = [stated('desktop', desktop, '1'), stated('laptop', laptop, '1')];

  test('are those whose envelopes state a key', () => {
    const { kept, members } = serviceMembers(found(both), known);
    expect(names(kept)).toEqual(['desktop', 'laptop']);
    expect(members).toEqual([desktop.publicKey, laptop.publicKey]);
  });

  test('are stated by the newest restore point', () => {
    const envelopes = [...both, { ...stated('laptop', thief, '2'), backupSet: 'photos' }];
    expect(serviceMembers(found(envelopes), known).members).toEqual([desktop.publicKey, thief.publicKey]);
  });

  test('are not stated by others, nor under another key', () => {
    const other = firstEpoch(newMasterKey());
    const foreign = serviceMembers(found(both), { ...known, ring: other });
    expect(foreign.members).toEqual([]);
    const swapped = stated('laptop', thief, '1', 'desktop');
    const [one, another] = [laptop, thief].map(({ publicKey }) => Buffer.from(publicKey).toString('base64'));
    const altered = Buffer.from(both[1]!.bytes).toString('utf8').replace(one!, another!);
    for (const envelope of [swapped, { ...both[1]!, bytes: Buffer.from(altered, 'utf8') }]) {
      expect(serviceMembers(found([both[0]!, envelope]), known).members).toEqual([desktop.publicKey]);
    }
  });

  test('are not those that the service has revoked, which stay members elsewhere', () => {
    const all = found(both);
    const [own, other] = all.devices;
    const divided = serviceMembers({ ...all, devices: [own!, { ...other!, status: 'revoked' }] }, known);
    expect([names(divided.removed), divided.members, divided.revoked]).toEqual([['laptop'], [desktop.publicKey], []]);
  });

  describe('after the key was changed elsewhere', () => {
    let ring: KeyRing;
    const changed = async (revoked: readonly Uint8Array[]) => {
      const membership = { author: desktop, members: [], revoked, writers: new Map() };
      ({ ring } = await rotate(first, none, membership, { now: 1 }));
      return { ring, settled: settleKeys({ ring, device: desktop, revoked }, [none]), own: 'desktop' };
    };

    test('are those that were known before', async () => {
      const after = await changed([]);
      expect(serviceMembers(found(both, both), after).members).toEqual([desktop.publicKey, laptop.publicKey]);
      // Nobody knows whose key it is.
      expect(serviceMembers(found(both), after).members).toEqual([]);
      const replaced = [both[0]!, stated('laptop', thief, '2')];
      expect(serviceMembers(found(replaced, both), after).members).toEqual([desktop.publicKey]);
    });

    test('are not those that were removed, whatever they state now', async () => {
      const after = await changed([laptop.publicKey]);
      const replaced = [both[0]!, stated('laptop', thief, '2')];
      for (const envelopes of [both, replaced]) {
        const { kept, removed, members } = serviceMembers(found(envelopes, both), after);
        expect([names(kept), names(removed), members]).toEqual([['desktop'], ['laptop'], [desktop.publicKey]]);
      }
    });

    test('are named when the service shows an older envelope than before, or none', async () => {
      const after = await changed([]);
      const membership = { author: desktop, members: [], revoked: [], writers: new Map() };
      const { ring: newer, envelope } = await rotate(first, none, membership, { now: 1 });
      const before = { ...both[1]!, bytes: envelope };
      const lost = [{ path: 'documents', reason: 'key-envelope-lost' }];
      expect(lostEnvelopes(found(both, [before]), newer)).toEqual(lost);
      expect(lostEnvelopes(found([], [before]), newer)).toEqual(lost);
      expect(lostEnvelopes(found([before], [before]), newer)).toEqual([]);
      expect(lostEnvelopes(found([], both), newer)).toEqual([]);
      // What no known key proves was never believed.
      expect(lostEnvelopes(found([], [before]), after.ring)).toEqual([]);
    });
  });
});
