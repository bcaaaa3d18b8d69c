import { describe, expect, test } from 'vitest';
import {
  admitsTree,
  foldDevices,
  type TreeClaim,
  type DeviceLimit,
} from '../../../../src/format/crypto/device-limits.ts';
import { newDeviceKey } from '../../../../src/format/crypto/device-key.ts';
import { createEnvelope, readEnvelope } from '../../../../src/format/crypto/key-envelope.ts';
import { firstEpoch, newMasterKey } from '../../../../src/format/crypto/keys.ts';
import { rotate, sealRing } from '../../../../src/format/crypto/rotation.ts';
import { settleKeys } from '../../../../src/format/crypto/settle-keys.ts';

const LAST = { set: 'documents', sequence: 5, tree: 'e'.repeat(64), created: 500, time: 510 };
const TREE: TreeClaim = {
  epoch: 1,
  deviceId: 'kept',
  backupSet: 'documents',
  sequence: 4,
  treeHash: 'd'.repeat(64),
  created: 400,
  time: 410,
};
const REMOVED = { ...TREE, deviceId: 'removed' };
const CURRENT = {
  epoch: 3,
  devices: new Map<string, DeviceLimit>([
    ['kept', { epoch: 1 }],
    ['later', { epoch: 2 }],
    ['removed', { epoch: 1, ends: [LAST] }],
  ]),
};

describe('a tree of an earlier epoch', () => {
  test.each<[string, TreeClaim, boolean]>([
    ['of a device that was kept', TREE, true],
    ['of a device that was kept, made while the key was changed', { ...TREE, time: 1e12, created: 1e12 }, true],
    ['of an unknown device', { ...TREE, deviceId: 'nobody' }, false],
    ['of an epoch before its device', { ...TREE, deviceId: 'later' }, false],
    ['of the epoch of its device', { ...TREE, deviceId: 'later', epoch: 2 }, true],
    ['before the end', REMOVED, true],
    ['at the end', { ...REMOVED, sequence: 5, treeHash: LAST.tree, created: 500, time: 510 }, true],
    ['beyond the end', { ...REMOVED, sequence: 6, created: 600, time: 610 }, false],
    ['in the place of the end', { ...REMOVED, sequence: 5, created: 499, time: 510 }, false],
    ['that pretends to be earlier, at a later restore point', { ...REMOVED, time: 511 }, false],
    ['that pretends to be the end, at a later restore point', { ...REMOVED, treeHash: LAST.tree, time: 511 }, false],
    ['with a lower number, made later', { ...REMOVED, created: 501 }, false],
    ['of another set', { ...REMOVED, backupSet: 'photos' }, false],
  ])('%s', (_, tree, isAdmitted) => {
    expect(admitsTree(CURRENT, tree)).toBe(isAdmitted);
  });

  test('counts at a destination whose envelope lists no devices', () => {
    expect(admitsTree({ epoch: 3 }, { ...TREE, deviceId: 'nobody' })).toBe(true);
  });
});

test('a tree of the current epoch counts, of whichever device', () => {
  expect(admitsTree(CURRENT, { ...TREE, deviceId: 'nobody', epoch: 3 })).toBe(true);
});

test('limits of all envelopes count, whichever key they are of', async () => {
  const author = newDeviceKey();
  const master = newMasterKey();
  const first = firstEpoch(master);
  const none = readEnvelope(await createEnvelope(master));
  const membership = { author, members: [], revoked: [], writers: new Map<string, never>() };
  const of = (id: string) => ({ ...membership, devices: new Map([[id, { epoch: 1 }]]) });
  const now = { now: 1 };
  const one = await rotate(first, none, of('a'), now);
  const again = sealRing(one.ring, none, of('b'), { since: 1 });
  const rival = await rotate(first, none, of('c'), now);
  const envelopes = [one.envelope, again, rival.envelope].map((bytes) => readEnvelope(bytes));
  const { devices } = settleKeys({ ring: first, device: author, revoked: [] }, [none, ...envelopes]);
  expect([...devices!.keys()].toSorted()).toEqual(['a', 'b', 'c']);
});

describe('limits of two rotations at once', () => {
  const fold = (one: DeviceLimit, other: DeviceLimit): (DeviceLimit | undefined)[] => {
    const [a, b] = [new Map([['x', one]]), new Map([['x', other]])];
    return [foldDevices(a, b)?.get('x'), foldDevices(b, a)?.get('x')];
  };

  test('are the lower epoch and the earlier end of each set, in either order', () => {
    const earlier = { ...LAST, sequence: 4 };
    const photos = { ...LAST, set: 'photos' };
    for (const folded of fold({ epoch: 2, ends: [LAST, photos] }, { epoch: 1, ends: [earlier] })) {
      expect(folded).toEqual({ epoch: 1, ends: [earlier] });
    }
  });

  test('remove a device that one of them removed', () => {
    for (const folded of fold({ epoch: 1 }, { epoch: 1, ends: [LAST] })) {
      expect(folded).toEqual({ epoch: 1, ends: [LAST] });
    }
  });

  test('list the devices of both', () => {
    const both = foldDevices(new Map([['a', { epoch: 1 }]]), new Map([['b', { epoch: 2 }]]));
    expect([...both!.keys()]).toEqual(['a', 'b']);
    expect(foldDevices(undefined, both)).toBe(both);
  });
});
