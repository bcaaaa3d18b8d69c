import { describe, expect, test } from 'vitest';
import { newDeviceKey, type DeviceKey } from '../../../../src/format/crypto/device-key.ts';
import {
  createEnvelope,
  encodeEnvelope,
  readEnvelope,
  type KeyEnvelope,
} from '../../../../src/format/crypto/key-envelope.ts';
import { firstEpoch, keyIdOf, newMasterKey, type KeyRing } from '../../../../src/format/crypto/keys.ts';
import { rotate, sealRing } from '../../../../src/format/crypto/rotation.ts';
import { settleKeys, type SettledKeys } from '../../../../src/format/crypto/settle-keys.ts';

const FIRST = firstEpoch(newMasterKey());
const FIRST_ENVELOPE = readEnvelope(await createEnvelope(FIRST[0].master));

/** A computer with the files of its home. */
class Computer {
  readonly device: DeviceKey = newDeviceKey();
  ring: KeyRing = FIRST;
  revoked: readonly Uint8Array[] = [];
  /** Stored beside the keys. */
  envelope: KeyEnvelope = FIRST_ENVELOPE;
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  get keyId(): string {
    return keyIdOf(this.ring[0].master);
  }

  /** Reads a destination. */
  settle(store: readonly KeyEnvelope[]): SettledKeys {
    const settled = settleKeys(this, [...store, this.envelope]);
    const newest = [...store, this.envelope].find(({ keyId }) => keyId === keyIdOf(settled.ring[0].master));
    this.ring = settled.ring;
    this.revoked = settled.revoked;
    if (newest) this.envelope = newest;
    return settled;
  }

  /** Rotates by what it has read so far. */
  async rotate(members: readonly Computer[], removed: readonly Computer[] = []): Promise<KeyEnvelope> {
    const gone = [...this.revoked, ...removed.map(({ device }) => device.publicKey)];
    const membership = {
      author: this.device,
      members: members.map(({ device }) => device.publicKey),
      revoked: gone,
      writers: new Map(),
    };
    const rotated = await rotate(this.ring, this.envelope, membership, { now: 1 });
    const envelope = readEnvelope(rotated.envelope);
    this.ring = rotated.ring;
    this.revoked = gone;
    this.envelope = envelope;
    return envelope;
  }

  /** Reads a destination before a backup, and adds what it lacks. Returns whether anything changed. */
  async run(store: KeyEnvelope[], all: readonly Computer[]): Promise<boolean> {
    const before = this.keyId;
    const settled = this.settle(store);
    if (settled.isWithdrawn) return this.keyId !== before;
    const kept = all.filter(
      ({ device }) => !settled.revoked.some((key) => Buffer.compare(key, device.publicKey) === 0),
    );
    if (settled.lacks === 'rotate') store.push(await this.rotate(kept));
    if (settled.lacks === 'restate') {
      const { state, ring, revoked } = settled;
      const members = (state?.members ?? kept.map(({ device }) => device.publicKey)).slice();
      const membership = { author: this.device, members, revoked, writers: state?.writers ?? new Map() };
      const previous = store.find(({ keyId }) => keyId === state?.after);
      store.push(readEnvelope(sealRing(ring, previous, membership, { since: state?.since ?? 1 })));
    }
    return this.keyId !== before || settled.lacks !== 'nothing';
  }
}

function computers(...names: readonly string[]): Record<string, Computer> {
  return Object.fromEntries(names.map((name) => [name, new Computer(name)]));
}

function* ordersOf<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  if (items.length <= 1) yield items;
  for (const [index, item] of items.entries()) {
    for (const rest of ordersOf(items.toSpliced(index, 1))) yield [item, ...rest];
  }
}

/** Copies computers, so that each order begins with the same ones. */
function copyOf(all: readonly Computer[]): Computer[] {
  return all.map((one) => Object.assign(Object.create(Computer.prototype) as Computer, one));
}

/** Runs backups of these computers in turn until nothing changes. */
async function settleAll(store: KeyEnvelope[], order: readonly Computer[], all: readonly Computer[]): Promise<void> {
  for (let round = 0; round < 6; round += 1) {
    let hasChanged = false;
    for (const computer of order) if (await computer.run(store, all)) hasChanged = true;
    if (!hasChanged) return;
  }
  throw new Error('the computers do not agree');
}

describe('a computer that reads the envelopes of a destination', () => {
  test('keeps the first key while nobody has rotated', () => {
    const { a } = computers('a');
    expect(a!.settle([FIRST_ENVELOPE])).toMatchObject({ ring: FIRST, isWithdrawn: false, lacks: 'nothing' });
    expect(a!.settle([])).toMatchObject({ ring: FIRST, isWithdrawn: false, lacks: 'nothing' });
  });

  test('takes the key that another one has sealed to it, with all earlier ones', async () => {
    const { a, b } = computers('a', 'b');
    const second = await a!.rotate([b!]);
    const third = await a!.rotate([b!]);
    // It missed the second one: the third replaces a key that it gets only there.
    const settled = b!.settle([FIRST_ENVELOPE, second, third]);
    expect(settled).toMatchObject({ isWithdrawn: false, lacks: 'nothing' });
    expect(b!.ring).toEqual(a!.ring);
    expect(b!.ring.map(({ epoch }) => epoch)).toEqual([3, 2, 1]);
  });

  test('takes no key that it was not given, and says so', async () => {
    const { a, b, c } = computers('a', 'b', 'c');
    const second = await a!.rotate([b!], [c!]);
    expect(c!.settle([FIRST_ENVELOPE, second])).toMatchObject({ isWithdrawn: true, ring: FIRST });
    b!.settle([second]);
    const third = await b!.rotate([a!]);
    expect(c!.settle([FIRST_ENVELOPE, second, third])).toMatchObject({ isWithdrawn: true, ring: FIRST });
    expect(a!.settle([second, third]).isWithdrawn).toBe(false);
  });

  test('takes nothing from somebody who never had the key', async () => {
    const { a } = computers('a');
    const stranger = new Computer('stranger');
    stranger.ring = firstEpoch(newMasterKey());
    stranger.envelope = readEnvelope(await createEnvelope(stranger.ring[0].master));
    const foreign = await stranger.rotate([a!]);
    // It claims to replace the key of the account.
    const claimed = { ...foreign, after: FIRST_ENVELOPE.keyId };
    for (const envelope of [foreign, claimed, { ...claimed, slots: [] }]) {
      expect(a!.settle([FIRST_ENVELOPE, envelope])).toMatchObject({ isWithdrawn: false, ring: FIRST });
    }
  });

  test('never goes back an epoch when an older envelope is served as the newest', async () => {
    const { a, b } = computers('a', 'b');
    const second = await a!.rotate([b!]);
    b!.settle([second]);
    const keyId = b!.keyId;
    for (const store of [[FIRST_ENVELOPE], []]) {
      b!.settle(store);
      expect(b!.keyId).toBe(keyId);
    }
  });

  test('refuses an envelope that is altered', async () => {
    const { a, b } = computers('a', 'b');
    const second = await a!.rotate([b!]);
    const text = second.body.toString().replace('"since":1', '"since":2');
    const altered = { ...second, since: 2, body: Buffer.from(text) };
    expect(b!.settle([FIRST_ENVELOPE, altered])).toMatchObject({ ring: FIRST, isWithdrawn: false });
  });

  test('takes no key from a removed device once it has the new one, whatever that device writes', async () => {
    const { a, b, c } = computers('a', 'b', 'c');
    const second = await a!.rotate([b!], [c!]);
    b!.settle([second]);
    const stolen = copyOf([c!])[0]!;
    const rival = await stolen.rotate([b!], [a!]);
    // Of a much later epoch, or in the name of another device.
    const far = copyOf([c!])[0]!;
    far.ring = [{ epoch: 1, master: FIRST[0].master }];
    const later = readEnvelope(
      sealRing(
        [{ epoch: 900, master: newMasterKey() }, ...FIRST],
        FIRST_ENVELOPE,
        {
          author: stolen.device,
          members: [b!.device.publicKey],
          revoked: [a!.device.publicKey],
          writers: new Map(),
        },
        { since: 2 },
      ),
    );
    const named = readEnvelope(encodeEnvelope({ ...rival, author: a!.device.publicKey }, stolen.ring));
    // In that of a device that nobody knows.
    const invented = readEnvelope(
      sealRing(
        [{ epoch: 2, master: newMasterKey() }, ...FIRST],
        FIRST_ENVELOPE,
        {
          author: newDeviceKey(),
          members: [b!.device.publicKey],
          revoked: [a!.device.publicKey, newDeviceKey().publicKey],
          writers: new Map(),
        },
        { since: 2 },
      ),
    );
    for (const envelope of [rival, later, named, invented]) {
      expect(b!.settle([FIRST_ENVELOPE, second, envelope])).toMatchObject({ isWithdrawn: false, lacks: 'nothing' });
      expect(b!.keyId).toBe(second.keyId);
      expect(b!.ring.map(({ epoch }) => epoch)).toEqual([2, 1]);
    }
  });

  test('takes no key that says it comes after the current one and has no higher epoch', async () => {
    const { a, b, c } = computers('a', 'b', 'c');
    const store = [await a!.rotate([a!, b!, c!])];
    b!.settle(store);
    c!.settle(store);
    const { keyId, revoked } = c!;
    const [current, ...earlier] = b!.ring;
    b!.ring = [{ ...current, epoch: current.epoch - 1 }, ...earlier];
    const forged = await b!.rotate([b!, c!], [a!]);
    expect(forged).toMatchObject({ epoch: current.epoch, after: keyId });
    expect(c!.settle([...store, forged]).ring[0]).toEqual(current);
    expect(c!).toMatchObject({ keyId, revoked });
  });

  test('is not told by a removed device that it was removed itself', async () => {
    const { a, b, c } = computers('a', 'b', 'c');
    const second = await a!.rotate([b!], [c!]);
    b!.settle([second]);
    const rival = await c!.rotate([], [a!, b!]);
    expect(b!.settle([second, rival])).toMatchObject({ isWithdrawn: false });
  });

  test('adds its key to a destination that lacks it', async () => {
    const { a, b } = computers('a', 'b');
    await a!.rotate([b!]);
    const store = [FIRST_ENVELOPE];
    a!.envelope = FIRST_ENVELOPE;
    expect(a!.settle(store).lacks).toBe('restate');
    await settleAll(store, [a!, b!], [a!, b!]);
    expect(b!.keyId).toBe(a!.keyId);
  });

  test('changes the key of a destination that gives it to a device which was removed at another one', async () => {
    const { a, b, c } = computers('a', 'b', 'c');
    const second = await b!.rotate([a!, c!]);
    a!.revoked = [c!.device.publicKey];
    const store = [FIRST_ENVELOPE, second];
    expect(a!.settle(store).lacks).toBe('rotate');
    await settleAll(store, [a!, b!], [a!, b!, c!]);
    expect(b!.keyId).toBe(a!.keyId);
    c!.settle(store);
    expect(c!.keyId).toBe(second.keyId);
  });
});

describe('computers that rotate at the same time', () => {
  /** Who removes whom. */
  const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['nobody is removed', [], []],
    ['one of them removes a device', ['c'], []],
    ['both remove the same device', ['c'], ['c']],
    ['they remove different devices', ['c'], ['d']],
    ['one removes the other', ['b'], []],
    ['one removes the other and a device, and that one another device', ['b', 'c'], ['d']],
    ['one removes the other, which removes more devices', ['b'], ['c', 'd']],
  ];

  test.each(cases)('agree on one key when %s, in any order', async (_, byA, byB) => {
    for (let repetition = 0; repetition < 2; repetition += 1) {
      // Somebody has to get both keys.
      const all = computers('a', 'b', 'c', 'd', ...(byB.length > 1 ? ['e'] : []));
      const list = Object.values(all);
      const of = (names: readonly string[]): Computer[] => names.map((name) => all[name]!);
      const without = (names: readonly string[]): Computer[] => list.filter(({ name }) => !names.includes(name));
      const envelopes = [await all['a']!.rotate(without(byA), of(byA)), await all['b']!.rotate(without(byB), of(byB))];
      const removed = byA.includes('b') ? byA : [...byA, ...byB];
      const remaining = list.filter(({ name }) => !removed.includes(name)).map(({ name }) => name);
      for (const order of ordersOf(remaining)) {
        const copies = copyOf(list);
        const store = [FIRST_ENVELOPE, ...envelopes];
        const at = (name: string): Computer => copies.find((one) => one.name === name)!;
        await settleAll(store, order.map(at), copies);
        const keys = new Set(remaining.map((name) => at(name).keyId));
        expect(keys.size).toBe(1);
        // What either of them sealed before remains readable.
        for (const name of remaining) {
          const ids = at(name).ring.map(({ master }) => keyIdOf(master));
          expect(ids).toContain(keyIdOf(FIRST[0].master));
          if (!byA.includes('b')) for (const { keyId } of envelopes) expect(ids).toContain(keyId);
        }
        const current = at(remaining[0]!).keyId;
        for (const name of removed) {
          const gone = at(name);
          gone.settle(store);
          expect(gone.ring.map(({ master }) => keyIdOf(master))).not.toContain(current);
        }
      }
    }
  });

  test('agree among those who have seen neither when each removes the other', async () => {
    const { a, b, c, d } = computers('a', 'b', 'c', 'd') as Record<'a' | 'b' | 'c' | 'd', Computer>;
    const store = [FIRST_ENVELOPE, await a.rotate([c, d], [b]), await b.rotate([c, d], [a])];
    for (const envelopes of [store, store.toReversed()]) {
      const [one, other] = copyOf([c, d]) as [Computer, Computer];
      one.settle(envelopes);
      other.settle(envelopes.toReversed());
      expect(one.keyId).toBe(other.keyId);
    }
    // Who has taken one of the keys stays with it.
    const early = copyOf([c])[0]!;
    early.settle(store.slice(0, 2));
    early.settle(store);
    expect(early.keyId).toBe(a.keyId);
  });
});
