import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { homeAt } from '../../../src/agent/home/home.ts';
import { HomeKeyStore } from '../../../src/agent/key-store/home-key-store.ts';
import { keyRingIn, type Secrets } from '../../../src/agent/key-store/key-store.ts';
import { SystemKeychain } from '../../../src/agent/key-store/keychain.ts';
import { chunkKeysOf } from '../../../src/format/crypto/chunk-keys.ts';
import { deriveKeys } from '../../../src/format/crypto/keys.ts';
import { encodeEnvelope, readEnvelope } from '../../../src/format/crypto/key-envelope.ts';
import { passwordSlotOf } from '../../../src/format/crypto/password-slot.ts';
import { openFromDevice, parseDeviceKey } from '../../../src/format/crypto/device-key.ts';
import { parseDescription } from '../../../src/format/repository/description.ts';
import { hashOf, parseLedgerName } from '../../../src/format/repository/file-names.ts';
import { deriveRepositoryKeys } from '../../../src/format/repository/keys.ts';
import { openBytes, sealContext } from '../../../src/format/repository/sealed-bytes.ts';
import { decodeSegment, encodeSegment } from '../../../src/format/repository/segment.ts';
import { newWriterKey, parseWriterKey, type WriterKey } from '../../../src/format/repository/writer-key.ts';
import { differences } from '../../helpers/differences.ts';
import { FolderSnapshot } from '../../helpers/folder-snapshot.ts';
import { CAN_SIGN_IN, codeOf, createAccount, Server } from './server.ts';
import { filesIn, type Joined, type Points, type Repaired, type Rotation, type Warned } from './key-answers.ts';
import { describeEnd, Workplace, type Ended } from './workplace.ts';

let workplace: Workplace;
let phrase: string;

/** Runs the program in one of several homes. */
function run(home: string, ...words: readonly string[]): Promise<Ended> {
  return workplace.runAt(workplace.path(home), words);
}

async function json<Answer = Readonly<Record<string, unknown>>>(
  home: string,
  words: readonly string[],
  status = 0,
): Promise<Answer> {
  const ended = await run(home, ...words, '--json');
  if (ended.status !== status) throw new Error(`holdfast ${words.join(' ')}: ${describeEnd(ended)}`);
  return JSON.parse(ended.stdout) as Answer;
}

async function joinAs(home: string, given: string, status = 0): Promise<Joined> {
  const file = workplace.write(`phrase-of-${home}`, given);
  const words = ['setup', '--destination', workplace.destination, '--device-name', home];
  return await json(home, [...words, '--recovery-phrase-file', file], status);
}

async function backUp(home: string, status = 0): Promise<Warned> {
  return await json(home, ['backup', 'documents'], status);
}

async function deviceOf(name: string): Promise<string> {
  const { devices } = await json<{ devices: { id: string; name: string }[] }>('desktop', ['devices']);
  return devices.find((device) => device.name === name)!.id;
}

/** Names of all files of the destination. */
const stored = (): readonly string[] => filesIn(workplace.destination);

function bytesOf(name: string): Buffer {
  return readFileSync(join(workplace.destination, name));
}

async function secretsOf(home: string): Promise<Secrets> {
  return (await new HomeKeyStore(homeAt(workplace.path(home)), new SystemKeychain(process.env)).load())!;
}

function repositoryId(): string {
  return parseDescription(bytesOf('holdfast.json')).id;
}

/** The workplace after the set-up of three computers. */
let initial: FolderSnapshot;

beforeAll(async () => {
  workplace = new Workplace();
  mkdirSync(workplace.path('source'));
  writeFileSync(workplace.path('source', 'before.txt'), 'before the rotation');
  const words = ['setup', '--destination', workplace.destination, '--device-name', 'desktop'];
  phrase = (await json<{ recovery_phrase: string }>('desktop', words)).recovery_phrase;
  for (const home of ['laptop', 'server']) await joinAs(home, phrase);
  for (const home of ['desktop', 'laptop', 'server']) {
    await json(home, ['set', 'add', 'documents', workplace.path('source'), '--exclude', '!*']);
    await backUp(home);
  }
  initial = new FolderSnapshot(workplace.folder);
});
beforeEach(() => initial.restore());
afterAll(() => {
  workplace[Symbol.dispose]();
  initial[Symbol.dispose]();
});

describe('a rotation that removes a computer', () => {
  let rotation: Rotation;
  let before: ReadonlySet<string>;

  beforeEach(async () => {
    before = new Set(stored());
    rotation = await json<Rotation>('desktop', ['key', 'rotate', '--revoke', 'laptop', '--yes']);
    writeFileSync(workplace.path('source', 'after.txt'), 'after the rotation');
  });

  test('gives the others the new key without a question, and shows the new phrase', async () => {
    expect(rotation).toMatchObject({ epoch: 2, revoked: [{ name: 'laptop' }] });
    expect(rotation.devices.map(({ name }) => name).toSorted()).toEqual(['desktop', 'server']);
    expect(rotation.recovery_phrase).not.toBe(phrase);
    for (const home of ['desktop', 'server']) expect((await backUp(home)).warnings).toEqual([]);
    expect(await json('server', ['key', 'export'])).toEqual({ recovery_phrase: rotation.recovery_phrase });
    for (const home of ['desktop', 'server']) {
      const { keyId } = JSON.parse(readFileSync(workplace.path(home, 'settings.json'), 'utf8')) as { keyId: string };
      expect(keyId).toBe(deriveKeys(keyRingIn(await secretsOf(home))).id);
    }
    expect(await json('desktop', ['check', '--read-data'])).toMatchObject({ findings: [], losses: [] });
  });

  test('shuts it out: a copy of its home opens nothing that was written after', async () => {
    for (const home of ['desktop', 'server']) await backUp(home);
    const stolen = await secretsOf('laptop');
    const keys = deriveKeys(keyRingIn(stolen));
    const { pack, ledger } = deriveRepositoryKeys(keyRingIn(stolen));
    const id = repositoryId();
    const current = deriveRepositoryKeys(keyRingIn(await secretsOf('desktop')));
    const fresh = stored().filter((name) => !before.has(name));
    const opened = { segments: 0, packs: 0, envelopes: 0 };
    for (const name of fresh) {
      const bytes = bytesOf(name);
      const file = parseLedgerName(name);
      if (file) {
        const context = sealContext('segment', id, name.slice(0, -65));
        expect(openBytes(ledger, bytes, context)).toBeUndefined();
        expect(openBytes(current.ledger, bytes, context)).toBeDefined();
        opened.segments += 1;
      } else if (name.startsWith('packs/')) {
        const tableBytes = bytes.readUInt32BE(bytes.length - 12);
        const sealed = bytes.subarray(bytes.length - 12 - tableBytes, -12);
        expect(openBytes(pack, sealed, sealContext('pack-table', id))).toBeUndefined();
        const table = openBytes(current.pack, sealed, sealContext('pack-table', id))!;
        for (let at = 0, offset = 0; at < table.length; at += 41) {
          const length = table.readUInt32BE(at + 32);
          const isEnvelope = table[at + 40] === 2;
          const blob = bytes.subarray(offset, offset + length);
          const digest = table.subarray(at, at + 32);
          if (!isEnvelope) expect(() => chunkKeysOf(keys.chunk).open(blob, digest)).toThrow(/chunk_tampered/);
          offset += length;
        }
        opened.packs += 1;
      } else {
        const { slots, keyId, author } = readEnvelope(bytes);
        const recipient = parseDeviceKey(stolen.deviceSecret!);
        for (const slot of slots) {
          expect(slot.kind).toBe('device');
          if (slot.kind !== 'device') continue;
          expect(openFromDevice(slot.sealed, { keyId, author: author!, recipient })).toBeUndefined();
        }
        opened.envelopes += 1;
      }
    }
    expect(opened.segments).toBe(2);
    expect(opened.packs).toBeGreaterThan(0);
    expect(opened.envelopes).toBe(1);
  });

  test('lets it restore what was stored before, and back up nothing', async () => {
    const failed = await json<{ error: { code: string } }>('laptop', ['backup', 'documents'], 4);
    expect(failed.error.code).toBe('key_outdated');
    expect((await run('laptop', 'backup', 'documents')).stderr).toContain('the new recovery phrase');
    await backUp('desktop');
    const apply = ['retention', 'apply', 'documents', '--yes'];
    expect(await json('laptop', apply, 4)).toMatchObject({ error: { code: 'key_outdated' } });
    const { points, warnings } = await json<Points & { warnings: unknown }>('laptop', ['points', 'documents'], 3);
    expect([points.length, warnings]).toMatchObject([1, [{ reason: 'newer_points_possible' }]]);
    const { devices } = await json<{ devices: { name: string; status: string }[] }>('desktop', ['devices']);
    expect(devices.find(({ name }) => name === 'laptop')).toMatchObject({ status: 'revoked' });
  });

  test('keeps it out although somebody enters the new phrase there, since nothing that it writes counts', async () => {
    const file = workplace.write('new', rotation.recovery_phrase);
    await json('laptop', ['key', 'adopt', '--recovery-phrase-file', file]);
    const { error } = await json<{ error: { code: string; details: object } }>('laptop', ['backup', 'documents'], 4);
    expect(error).toMatchObject({ code: 'key_outdated', details: { problem: 'removed' } });
  });

  test('lets a new computer restore everything of both epochs with the new phrase', async () => {
    await backUp('desktop');
    await joinAs('replacement', rotation.recovery_phrase);
    const device = await deviceOf('desktop');
    const { points } = await json<Points>('replacement', ['points', 'documents', '--device', device]);
    expect(points).toHaveLength(2);
    for (const [index, { restore_point: at }] of points.entries()) {
      const to = workplace.path(`restored-${index}`);
      await json('replacement', ['restore', 'documents', '--device', device, '--at', at, '--to', to]);
    }
    expect(differences(workplace.path('source'), workplace.path('restored-0', 'source'))).toBe('');
    expect(readdirSync(workplace.path('restored-1', 'source'))).toEqual(['before.txt']);
  });

  test('lets a computer with the old phrase read only what was stored before, and says why', async () => {
    await backUp('desktop');
    const file = workplace.write('old', phrase);
    const words = ['setup', '--destination', workplace.destination, '--recovery-phrase-file', file];
    const ended = await run('reader', ...words);
    expect(ended).toMatchObject({ status: 3 });
    expect(ended.stderr).toContain('was changed after this recovery phrase was printed');
    const device = await deviceOf('desktop');
    const listed = ['points', 'documents', '--device', device];
    expect((await json<Points>('reader', listed, 3)).points).toHaveLength(1);
    await json('reader', ['set', 'add', 'documents', workplace.path('source')]);
    const { error } = await json<{ error: { code: string } }>('reader', ['backup', 'documents'], 4);
    expect(error.code).toBe('key_outdated');
    // With the new phrase it does.
    const fresh = workplace.write('new', rotation.recovery_phrase);
    expect(await json('reader', ['key', 'adopt', '--recovery-phrase-file', fresh])).toEqual({ epoch: 2 });
    await backUp('reader');
    expect((await json<Points>('reader', listed)).points).toHaveLength(2);
  });

  test('makes nothing count that its key writes later, in its own name or in that of a new computer', async () => {
    const stolen = await secretsOf('laptop');
    const seal = { keys: deriveRepositoryKeys(keyRingIn(stolen)).ledger, repository: repositoryId() };
    const own = parseWriterKey(stolen.deviceKey!);
    const lastName = stored().find((name) => name.startsWith(`ledger/${own.id}/`))!;
    const last = decodeSegment(parseLedgerName(lastName)!, bytesOf(lastName), seal);
    const removal = (await json<Points>('desktop', ['points', 'documents'])).points[0]!.backup_id;
    const write = (key: WriterKey, number: number, previous: string | undefined): void => {
      const device = last.facts.find(({ kind }) => kind === 'device')!;
      const facts = [device, { kind: 'removed' as const, points: [Buffer.from(removal, 'hex')] }];
      const segment = { writer: key.id, number, previous, time: last.time + 1, heads: new Map(), facts };
      const { name, bytes } = encodeSegment('ledger', segment, seal, key);
      mkdirSync(join(workplace.destination, 'ledger', key.id), { recursive: true });
      writeFileSync(join(workplace.destination, name), bytes);
    };
    write(own, 2, lastName.slice(-64));
    write(newWriterKey(), 1, undefined);
    const { findings } = await json<{ findings: { problem: string }[] }>('server', ['check'], 1);
    expect(findings.map(({ problem }) => problem)).toEqual(['revoked', 'revoked']);
    for (const home of ['desktop', 'server']) {
      const device = await deviceOf('desktop');
      const { points } = await json<Points>(home, ['points', 'documents', '--device', device]);
      expect(points.map(({ backup_id }) => backup_id)).toContain(removal);
    }
    await joinAs('replacement', rotation.recovery_phrase);
    const { devices } = await json<{ devices: { name: string }[] }>('replacement', ['devices']);
    expect(devices.map(({ name }) => name).toSorted()).toEqual(['desktop', 'laptop', 'replacement', 'server']);
  });

  test('is noticed again when an older copy of the keys is put in its place', async () => {
    await backUp('server');
    const fresh = stored().find((name) => name.startsWith('keys/') && !before.has(name))!;
    rmSync(join(workplace.destination, fresh));
    const { warnings } = await backUp('server', 3);
    expect(warnings).toMatchObject([{ reason: 'destination-damaged' }]);
    expect(stored()).toContain(fresh);
    expect((await backUp('desktop')).warnings).toEqual([]);
  });
});

describe('a repair after a rotation', () => {
  test('brings back no restore point that a removed computer may have made up, unless asked for', async () => {
    const [real, stolen] = [workplace.path('real'), workplace.path('stolen')];
    cpSync(workplace.destination, stolen, { recursive: true });
    await json('desktop', ['key', 'rotate', '--revoke', 'laptop', '--yes']);
    // The thief backs up to a copy with the old key, and has the credentials of the store.
    renameSync(workplace.destination, real);
    renameSync(stolen, workplace.destination);
    const before = new Set(stored());
    await backUp('laptop');
    const packs = stored().filter((name) => name.startsWith('packs/') && !before.has(name));
    expect(packs).not.toEqual([]);
    for (const name of packs) cpSync(join(workplace.destination, name), join(real, name));
    rmSync(workplace.destination, { recursive: true });
    renameSync(real, workplace.destination);
    const device = await deviceOf('laptop');
    const listed = async () => (await json<Points>('desktop', ['points', 'documents', '--device', device])).points;
    const known = await listed();
    const first = await json<Repaired>('desktop', ['repair']);
    expect(first.unproven_points).toMatchObject([{ device_id: device, backup_set: 'documents' }]);
    for (const { recovered_points: recovered } of [first, await json<Repaired>('server', ['repair'])]) {
      expect(recovered).toEqual([]);
      expect(await listed()).toEqual(known);
    }
    const { recovered_points: taken } = await json<Repaired>('desktop', ['repair', '--unproven']);
    expect(taken).toMatchObject([{ device_id: device }]);
    expect(await listed()).toHaveLength(known.length + 1);
  });

  test('brings back those that a later one continues', async () => {
    await backUp('server');
    await json('desktop', ['key', 'rotate', '--yes']);
    await backUp('server');
    const { recovery_phrase: fresh } = await json<{ recovery_phrase: string }>('desktop', ['key', 'export']);
    const writer = parseWriterKey((await secretsOf('server')).deviceKey!).id;
    const segments = stored().filter((name) => name.startsWith(`ledger/${writer}/`));
    for (const name of segments.toSorted().slice(0, -1)) rmSync(join(workplace.destination, name));
    await joinAs('replacement', fresh, 3);
    const { recovered_points: back, unproven_points: not } = await json<Repaired>('replacement', ['repair']);
    expect([back.length, not.length]).toEqual([2, 0]);
  });
});

describe('a computer that races with a rotation', () => {
  /** Does work that does not see the newest key envelopes. */
  async function withoutNewKeys(known: ReadonlySet<string>, work: () => Promise<unknown>): Promise<void> {
    const hidden = stored().filter((name) => name.startsWith('keys/') && !known.has(name));
    for (const name of hidden) renameSync(join(workplace.destination, name), workplace.path(`hidden-${name.slice(5)}`));
    await work();
    for (const name of hidden) renameSync(workplace.path(`hidden-${name.slice(5)}`), join(workplace.destination, name));
  }

  test('loses nothing: what it stored under the earlier key counts', async () => {
    const before = new Set(stored());
    await json('desktop', ['key', 'rotate', '--revoke', 'laptop', '--yes']);
    writeFileSync(workplace.path('source', 'raced.txt'), 'raced');
    await withoutNewKeys(before, () => backUp('server'));
    await backUp('desktop');
    const device = await deviceOf('server');
    const { points } = await json<Points>('desktop', ['points', 'documents', '--device', device]);
    expect(points).toHaveLength(2);
    await json('desktop', ['restore', 'documents', '--device', device, '--to', workplace.path('restored')]);
    expect(differences(workplace.path('source'), workplace.path('restored', 'source'))).toBe('');
  });

  test('and rotates itself agrees with the other one', async () => {
    const before = new Set(stored());
    await json('desktop', ['key', 'rotate', '--yes']);
    await withoutNewKeys(before, () => json('server', ['key', 'rotate', '--yes']));
    for (const home of ['desktop', 'server', 'laptop', 'desktop', 'server']) await backUp(home);
    const phrases = await Promise.all(
      ['desktop', 'server', 'laptop'].map(async (home) => (await json(home, ['key', 'export']))['recovery_phrase']),
    );
    expect(new Set(phrases).size).toBe(1);
    expect(await json('laptop', ['check', '--read-data'])).toMatchObject({ findings: [], losses: [] });
  });
});

describe('a computer whose first backup is under way during a rotation', () => {
  const newcomer = 'newcomer';
  let phrase: string;

  /** Rotates while the first backup stores its packs. Returns how that backup ends. */
  async function rotateMeanwhile(): Promise<Ended> {
    const { recovery_phrase: before } = await json<{ recovery_phrase: string }>('desktop', ['key', 'export']);
    const file = workplace.write('before', before);
    await json(newcomer, ['setup', '--destination', workplace.destination, '--recovery-phrase-file', file]);
    mkdirSync(workplace.path('large'));
    for (let at = 0; at < 16; at += 1) writeFileSync(workplace.path('large', `${at}`), randomBytes(4_000_000));
    await json(newcomer, ['set', 'add', 'large', workplace.path('large')]);
    const packs = (): number => stored().filter((name) => name.startsWith('packs/')).length;
    const known = packs();
    const { child, ended } = workplace.start(['backup', 'large', '--json'], workplace.path(newcomer));
    await expect.poll(packs, { interval: 5, timeout: 60_000 }).toBeGreaterThan(known);
    child.kill('SIGSTOP');
    ({ recovery_phrase: phrase } = await json<{ recovery_phrase: string }>('desktop', ['key', 'rotate', '--yes']));
    child.kill('SIGCONT');
    return await ended;
  }

  test('is told that its backup does not count, and backs up with the new phrase', async () => {
    const { status, stdout } = await rotateMeanwhile();
    expect(status).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'key_outdated' } });
    const file = workplace.write('after', phrase);
    await json(newcomer, ['key', 'adopt', '--recovery-phrase-file', file]);
    await json(newcomer, ['backup', 'large']);
    const { devices } = await json<{ devices: { id: string; this_device: boolean }[] }>(newcomer, ['devices']);
    const { id } = devices.find(({ this_device: isThisOne }) => isThisOne)!;
    await json('desktop', ['check', '--read-data']);
    await json('desktop', ['restore', 'large', '--device', id, '--to', workplace.path('restored')]);
    expect(differences(workplace.path('large'), workplace.path('restored', 'large'))).toBe('');
  });
});

describe('a home with two destinations', () => {
  /** The id of another computer, which it has at that destination alone. */
  async function onlyOtherDevice(home: string): Promise<string> {
    const { devices } = await json<{ devices: { id: string; this_device: boolean }[] }>(home, ['devices']);
    const others = devices.filter(({ this_device: isThisOne }) => !isThisOne);
    expect(others).toHaveLength(1);
    return others[0]!.id;
  }

  test.each([1, 2])('changes the key at both, also of one that was away %i time(s)', async (times) => {
    const second = workplace.path('second');
    await json('desktop', ['destination', 'add', '--destination', second, '--name', 'disk']);
    await backUp('desktop');
    for (let time = 0; time < times; time += 1) {
      renameSync(second, workplace.path('away'));
      const { later } = await json<{ later: string[] }>('desktop', ['key', 'rotate', '--yes'], 3);
      expect(later).toEqual(['disk']);
      renameSync(workplace.path('away'), second);
    }
    await backUp('desktop');
    const { recovery_phrase: fresh } = await json<{ recovery_phrase: string }>('desktop', ['key', 'export']);
    const file = workplace.write('fresh', fresh);
    const words = ['setup', '--destination', second, '--recovery-phrase-file', file];
    expect(await json('other', words)).not.toHaveProperty('outdated');
    const device = await onlyOtherDevice('other');
    // Also what was stored there under the earlier key.
    expect((await json<Points>('other', ['points', 'documents', '--device', device])).points).toHaveLength(2);
    await json('other', ['check', '--read-data']);
    expect(readdirSync(join(second, 'keys')).length).toBe(2);
  });

  test('gets the new key with a copy of restore points, too', async () => {
    const second = workplace.path('second');
    await json('desktop', ['destination', 'add', '--destination', second, '--name', 'disk']);
    await backUp('desktop');
    renameSync(second, workplace.path('away'));
    await json('desktop', ['key', 'rotate', '--yes'], 3);
    writeFileSync(workplace.path('source', 'after.txt'), 'after the rotation');
    await json('desktop', ['backup', 'documents', '--destination', 'destination']);
    renameSync(workplace.path('away'), second);
    expect(await json('desktop', ['destination', 'copy', 'destination', 'disk'])).toMatchObject({ points_copied: 2 });
    const { recovery_phrase: fresh } = await json<{ recovery_phrase: string }>('desktop', ['key', 'export']);
    await json('other', ['setup', '--destination', second, '--recovery-phrase-file', workplace.write('fresh', fresh)]);
    const device = await onlyOtherDevice('other');
    expect((await json<Points>('other', ['points', 'documents', '--device', device])).points).toHaveLength(3);
  });

  test('changes the key once more at one that has not got the one before', async () => {
    const second = workplace.path('second');
    await json('desktop', ['destination', 'add', '--destination', second, '--name', 'disk']);
    await backUp('desktop');
    renameSync(second, workplace.path('away'));
    await json('desktop', ['key', 'rotate', '--yes'], 3);
    renameSync(workplace.path('away'), second);
    const { recovery_phrase: fresh } = await json<{ recovery_phrase: string }>('desktop', ['key', 'rotate', '--yes']);
    const file = workplace.write('fresh', fresh);
    await json('other', ['setup', '--destination', second, '--recovery-phrase-file', file]);
    const device = await onlyOtherDevice('other');
    expect((await json<Points>('other', ['points', 'documents', '--device', device])).points).toHaveLength(1);
    await json('other', ['check', '--read-data']);
  });
});

test.each([
  ['the next backup', ['backup', 'documents']],
  ['another change of the key', ['key', 'rotate', '--yes']],
])('a removed computer does not get the key as a new one of a destination that was away: %s', async (_, next) => {
  const second = workplace.path('second');
  await json('desktop', ['destination', 'add', '--destination', second, '--name', 'disk']);
  for (const home of ['server', 'desktop']) await backUp(home);
  renameSync(second, workplace.path('away'));
  await json('desktop', ['key', 'rotate', '--revoke', 'laptop', '--yes'], 3);
  renameSync(workplace.path('away'), second);
  const file = workplace.write('old phrase', phrase);
  await json('thief', ['setup', '--destination', second, '--recovery-phrase-file', file]);
  await json('thief', ['set', 'add', 'documents', workplace.path('source')]);
  await backUp('thief');
  await json('desktop', ['points', 'documents', '--destination', 'disk']);
  await json('desktop', next);
  const { error } = await json<{ error: { code: string } }>('thief', ['backup', 'documents'], 4);
  expect(error.code).toBe('key_outdated');
  expect(await json('thief', ['key', 'export'])).toEqual({ recovery_phrase: phrase });
  await backUp('desktop');
});

describe.skipIf(!CAN_SIGN_IN)('a home that also backs up to a service', { timeout: 300_000 }, () => {
  test('stores the envelope of the new key there', async () => {
    const data = workplace.path('service');
    const account = await createAccount(workplace, data, 'anna@example.org');
    await using server = await Server.start(workplace, data);
    const signIn = ['--email', account.email, '--password-file', account.passwordFile, '--code', codeOf(account)];
    await json('desktop', ['destination', 'add', '--server', server.address, ...signIn, '--name', 'Service']);
    await json('desktop', ['set', 'add', 'both', workplace.path('source'), '--exclude', '!*', '--private-names']);
    const states: string[] = [];
    const backUpBoth = async (): Promise<void> => {
      const { destinations } = await json<{ destinations: { error?: object }[] }>('desktop', ['backup', 'both']);
      expect(destinations.map(({ error }) => error)).toEqual([undefined, undefined]);
      states.push(workplace.path(`state-${states.length}`));
      cpSync(workplace.path('source'), states.at(-1)!, { recursive: true, preserveTimestamps: true });
    };
    await backUpBoth();
    const { services } = await json<{ services: string[] }>('desktop', ['key', 'rotate', '--yes']);
    expect(services).toEqual(['Service']);
    writeFileSync(workplace.path('source', 'after.txt'), 'after the rotation');
    await backUpBoth();
    writeFileSync(workplace.path('source', 'later.txt'), 'after a run with the new key');
    await backUpBoth();
    // Another home goes on as the same device, and has nothing but the new phrase.
    const stored = JSON.parse(readFileSync(workplace.path('desktop', 'settings.json'), 'utf8')) as {
      destinations: { name: string; deviceId: string; credentials: string }[];
    };
    const { deviceId, credentials } = stored.destinations.find(({ name }) => name === 'Service')!;
    const keyStore = new HomeKeyStore(homeAt(workplace.path('desktop')), new SystemKeychain(process.env));
    const { deviceKey } = (await keyStore.at(credentials).load())!;
    const { recovery_phrase: fresh } = await json<{ recovery_phrase: string }>('desktop', ['key', 'export']);
    const device = ['--device-id', deviceId, '--device-key-file', workplace.write('device-key', deviceKey!)];
    const file = workplace.write('fresh', fresh);
    const words = ['setup', '--server', server.address, ...device, '--recovery-phrase-file', file];
    expect(await json('replacement', words)).not.toHaveProperty('outdated');
    const { points } = await json<Points>('replacement', ['points', 'both']);
    expect(points).toHaveLength(3);
    for (const [index, { restore_point: at }] of points.toReversed().entries()) {
      const to = workplace.path(`restored-${index}`);
      const answer = await json('replacement', ['restore', 'both', '--at', at, '--to', to]);
      expect(answer).toMatchObject({ failures: [], warnings: [] });
      expect(differences(states[index]!, join(to, 'source'))).toBe('');
    }
    expect(await json('replacement', ['verify', 'both'])).toMatchObject({ failures: [] });
    // The old phrase opens what was stored before, and nothing else.
    const old = ['--recovery-phrase-file', workplace.write('old', phrase)];
    expect(await json('reader', ['setup', '--server', server.address, ...device, ...old])).toMatchObject({
      outdated: true,
    });
    const first = ['restore', 'both', '--at', points.at(-1)!.restore_point, '--to', workplace.path('read')];
    expect(await json('reader', first)).toMatchObject({ failures: [] });
    const { error } = await json<{ error: { code: string; details: object } }>(
      'reader',
      ['restore', 'both', '--to', workplace.path('unread')],
      1,
    );
    expect(error).toMatchObject({ code: 'chunk_tampered', details: { problem: 'epoch' } });
    expect(await json('reader', ['key', 'adopt', '--recovery-phrase-file', file])).toEqual({ epoch: 2 });
    expect(await json('reader', ['restore', 'both', '--to', workplace.path('unread')])).toMatchObject({
      failures: [],
    });
  });
});

describe('a passphrase', { timeout: 300_000 }, () => {
  test('is set, changed and removed, and opens the keys of all epochs', async () => {
    await json('desktop', ['key', 'rotate', '--yes']);
    const set = async (text: string) => {
      const words = ['key', 'passphrase', '--passphrase-file', workplace.write('passphrase', text)];
      expect(await json('desktop', words)).toEqual({ has_passphrase: true, kept: [], unchanged: [] });
    };
    const open = (home: string, text: string) =>
      run(home, 'setup', '--destination', workplace.destination, '--passphrase-file', workplace.write('typed', text));
    await set('one passphrase');
    expect((await open('first', 'one passphrase')).status).toBe(0);
    expect(
      (await json<{ points: [] }>('first', ['points', 'documents', '--device', await deviceOf('server')])).points,
    ).toHaveLength(1);
    await set('another passphrase');
    expect((await open('second', 'one passphrase')).status).toBe(4);
    expect((await open('second', 'another passphrase')).status).toBe(0);
    const removed = await run('desktop', 'key', 'passphrase', '--remove');
    expect(removed.stdout).toContain('Whoever has a copy of the old key file');
    expect((await open('third', 'another passphrase')).status).toBe(4);
    // Those that had the key go on.
    for (const home of ['server', 'laptop']) await backUp(home);
  });
});

describe('a code', { timeout: 300_000 }, () => {
  test('sets one new computer up, and works once', async () => {
    const { code, destination } = await json<{ code: string; destination: string }>('desktop', ['key', 'code']);
    expect(code.split(' ')).toHaveLength(6);
    expect(destination).toBe('destination');
    const words = (given: string) => ['setup', '--destination', workplace.destination, '--key-code', given];
    expect((await json<{ error: { code: string } }>('new', words(`x ${code}`), 4)).error.code).toBe('key_code_wrong');
    await json('new', words(code.toUpperCase()));
    expect((await json<{ error: { code: string } }>('newer', words(code), 4)).error.code).toBe('key_code_wrong');
    await json('new', ['set', 'add', 'documents', workplace.path('source')]);
    await backUp('new');
    await json('desktop', ['key', 'rotate', '--yes']);
    await backUp('new');
  });
});

test('an expired code is deleted by the next backup', async () => {
  const { keyEnvelope, masterKey, ...others } = await secretsOf('desktop');
  const slot = await passwordSlotOf(masterKey, 'six words', { expires: 1 });
  const ring = keyRingIn({ masterKey, ...others });
  const envelope = encodeEnvelope({ ...readEnvelope(keyEnvelope), slots: [slot] }, ring);
  const name = `keys/${hashOf(envelope)}`;
  writeFileSync(join(workplace.destination, name), envelope);
  expect((await backUp('server')).warnings).toEqual([]);
  expect(stored()).not.toContain(name);
  expect(stored().filter((file) => file.startsWith('keys/'))).toHaveLength(1);
});

test.each<[string, readonly string[], number]>([
  ['an unknown computer', ['key', 'rotate', '--revoke', 'nobody', '--yes'], 2],
  ['the own one', ['key', 'rotate', '--revoke', 'desktop', '--yes'], 2],
  ['no confirmation', ['key', 'rotate'], 2],
  ['neither a passphrase nor its removal', ['key', 'passphrase'], 2],
  ['no phrase', ['key', 'adopt'], 2],
])('a change of the key is refused with %s', async (_, words, status) => {
  const before = stored();
  const ended = await run('desktop', ...words);
  expect(ended.status).toBe(status);
  expect(stored()).toEqual(before);
});

test('a phrase of another account is refused', async () => {
  cpSync(workplace.destination, workplace.path('elsewhere'), { recursive: true });
  const setup = ['setup', '--destination', workplace.path('foreign'), '--device-name', 'stranger'];
  const { recovery_phrase: foreign } = await json<{ recovery_phrase: string }>('stranger', setup);
  const file = workplace.write('foreign-phrase', foreign);
  const { error } = await json<{ error: { code: string } }>(
    'server',
    ['key', 'adopt', '--recovery-phrase-file', file],
    4,
  );
  expect(error.code).toBe('phrase_other_account');
});
