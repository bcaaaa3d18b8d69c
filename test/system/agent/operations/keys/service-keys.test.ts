import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunWarning } from '../../../../../src/jobs/run-warning.ts';
import { readEnvelope } from '../../../../../src/format/crypto/key-envelope.ts';
import { KEYS_PATH } from '../../../../../src/protocol/path.ts';
import { failureFrom, HandlerFixture } from '../../../../unit/agent/host/handler-fixture.ts';
import { ANNA, HttpService } from '../../host/http-service.ts';
import { keepThreads } from '../../../../helpers/kept-threads.ts';

keepThreads();

interface Computer {
  readonly fixture: HandlerFixture;
  readonly deviceId: string;
}

let service: HttpService;
let desktop: Computer;
let laptop: Computer;
let server: Computer;
let first: string;
const fixtures: HandlerFixture[] = [];

/** Signs a new computer in, with the phrase of the account if there is one. */
async function joinAs(deviceName: string, recoveryPhrase?: string): Promise<Computer> {
  const fixture = new HandlerFixture();
  fixtures.push(fixture);
  const { deviceId } = await fixture.agent.setup({
    destination: { kind: 'user', url: service.url, ...ANNA, code: service.code() },
    deviceName,
    ...(recoveryPhrase !== undefined && { recoveryPhrase }),
  });
  mkdirSync(fixture.path('files'));
  write(fixture, `${deviceName}.txt`);
  await fixture.agent.addSet({
    form: {
      name: 'documents',
      roots: [fixture.path('files')],
      excludes: [],
      oneFileSystem: false,
      privateNames: false,
    },
  });
  return { fixture, deviceId };
}

function write(fixture: HandlerFixture, name: string): void {
  writeFileSync(join(fixture.path('files'), name), `content of ${name}`);
}

let runs = 0;
async function backUp({ fixture }: Computer): Promise<readonly RunWarning[]> {
  runs += 1;
  write(fixture, `run ${runs}.txt`);
  service.advance(60_000);
  const { warnings } = await fixture.agent.backup({ set: 'documents' }, {});
  return warnings;
}

async function restore(
  { fixture }: Computer,
  device: string,
  at: 'latest' | number = 'latest',
  acceptUnverified = false,
): Promise<void> {
  runs += 1;
  const to = fixture.path(`restored ${runs}`);
  const report = await fixture.agent.restore({ set: 'documents', device, at, to, paths: [], acceptUnverified }, {});
  expect(report.failures).toEqual([]);
}

async function phraseOf({ fixture }: Computer): Promise<string> {
  return await fixture.agent.recoveryPhrase();
}

beforeEach(async () => {
  service = await HttpService.open();
  desktop = await joinAs('desktop');
  await backUp(desktop);
  first = await phraseOf(desktop);
  laptop = await joinAs('laptop', first);
  server = await joinAs('server', first);
  for (const computer of [laptop, server]) await backUp(computer);
});
afterEach(async () => {
  for (const fixture of fixtures.splice(0)) fixture.close();
  await service.close();
});

describe('a key that is changed at a service', () => {
  test('reaches the other computers with their next backup, and not the one that was removed', async () => {
    const report = await desktop.fixture.agent.rotateKey({ revoke: 'laptop' });
    expect(report.kept.map(({ name }) => name).toSorted()).toEqual(['desktop', 'server']);
    expect(report.removed.map(({ name }) => name)).toEqual(['laptop']);
    expect(report.withoutKey).toEqual([]);
    expect(await phraseOf(desktop)).not.toBe(first);
    // Until it is stored there, all go on as before.
    expect(await backUp(server)).toEqual([]);
    expect(await phraseOf(server)).toBe(first);
    expect(await backUp(desktop)).toEqual([]);
    expect(await backUp(server)).toEqual([]);
    expect(await phraseOf(server)).toBe(await phraseOf(desktop));
    expect(await failureFrom(backUp(laptop))).toMatchObject({ code: 'key_outdated' });
    expect(await phraseOf(laptop)).toBe(first);
    for (const change of [
      () => laptop.fixture.agent.rotateKey({}),
      () => laptop.fixture.agent.changePassphrase({ passphrase: 'six' }),
    ]) {
      expect(await failureFrom(change())).toMatchObject({ code: 'key_outdated' });
    }
    expect(await phraseOf(laptop)).toBe(first);
    await restore(server, desktop.deviceId);
    await restore(desktop, server.deviceId);
    for (const { deviceId } of [desktop, server]) {
      expect(await failureFrom(restore(laptop, deviceId))).toMatchObject({ code: 'chunk_tampered' });
    }
  });

  test('is taken over by a computer that only restores', async () => {
    await desktop.fixture.agent.rotateKey({});
    await backUp(desktop);
    await restore(server, desktop.deviceId);
    expect(await phraseOf(server)).toBe(await phraseOf(desktop));
  });

  test('lets earlier restore points count when the service was away at the change', async () => {
    const { agent } = desktop.fixture;
    const directory = desktop.fixture.path('disk');
    await agent.addDestination({ destination: { kind: 'folder', directory }, name: 'disk' });
    await backUp(desktop);
    service.goAway();
    expect((await agent.rotateKey({})).absent).toHaveLength(1);
    service.comeBack();
    await backUp(desktop);
    await backUp(server);
    expect(await phraseOf(server)).toBe(await phraseOf(desktop));
    await restore(server, laptop.deviceId);
  });

  test('is the same for two computers that change it at once', async () => {
    await desktop.fixture.agent.rotateKey({});
    await server.fixture.agent.rotateKey({});
    for (const computer of [desktop, server, laptop, desktop, server]) await backUp(computer);
    const phrases = new Set(await Promise.all([desktop, server, laptop].map(phraseOf)));
    expect(phrases.size).toBe(1);
    for (const { deviceId } of [desktop, server, laptop]) await restore(laptop, deviceId);
  });

  test('is kept, and what is missing is reported once, when the service withholds it', async () => {
    await desktop.fixture.agent.rotateKey({});
    await backUp(desktop);
    await backUp(server);
    await backUp(laptop);
    const current = await phraseOf(desktop);
    await backUp(desktop);
    service.changeManifests((files) => files.filter(({ path }) => path !== KEYS_PATH));
    const lost = (await backUp(server)).filter(({ reason }) => reason === 'key-envelope-lost');
    expect(lost).toEqual([{ path: 'documents', reason: 'key-envelope-lost' }]);
    expect(await phraseOf(server)).toBe(current);
    service.changeManifests(undefined);
    await backUp(desktop);
    expect((await backUp(server)).filter(({ reason }) => reason === 'key-envelope-lost')).toEqual([]);
  });
});

describe('a restore point of a computer that was removed', () => {
  test('counts if it was there before, and is refused if it appeared later', async () => {
    await restore(server, laptop.deviceId);
    // The thief keeps the old key, and never reads the new envelope.
    await desktop.fixture.agent.rotateKey({ revoke: laptop.deviceId });
    await backUp(laptop);
    const stolen = await phraseOf(laptop);
    await backUp(desktop);
    await backUp(server);
    for (const computer of [desktop, server]) {
      for (const acceptUnverified of [false, true]) {
        const refused = restore(computer, laptop.deviceId, 'latest', acceptUnverified);
        expect(await failureFrom(refused)).toMatchObject({
          code: 'tree_invalid',
          details: { reason: 'revoked', deviceId: laptop.deviceId, set: 'documents' },
        });
      }
    }
    const { fixture } = desktop;
    const points = await fixture.agent.points({ set: 'documents', device: laptop.deviceId });
    expect(points).toHaveLength(2);
    await restore(desktop, laptop.deviceId, Date.parse(points[1]!.restore_point));
    await restore(server, laptop.deviceId, Date.parse(points[1]!.restore_point));
    // Nor does it write as a new computer.
    const disguised = await joinAs('disguised', stolen);
    expect(await failureFrom(backUp(disguised))).toMatchObject({ code: 'key_outdated' });
  });
});

test('what a computer stores states its public key for itself only', async () => {
  const { keyEnvelope } = (await server.fixture.parts.keyStore.load())!;
  const { holder } = readEnvelope(keyEnvelope);
  expect(holder?.device).toBe(server.deviceId);
  const folder = join(desktop.fixture.home.folder, 'envelopes');
  await backUp(desktop);
  const { destinations } = JSON.parse(readFileSync(desktop.fixture.home.settingsFile, 'utf8')) as {
    destinations: { id: string }[];
  };
  const { sets } = JSON.parse(readFileSync(join(folder, `${destinations[0]!.id}.json`), 'utf8')) as {
    sets: { device: string; envelope: string }[];
  };
  for (const { device, envelope } of sets) {
    expect(readEnvelope(Buffer.from(envelope, 'base64')).holder?.device).toBe(device);
  }
  expect(sets.map(({ device }) => device)).toEqual(expect.arrayContaining([laptop.deviceId, server.deviceId]));
});
