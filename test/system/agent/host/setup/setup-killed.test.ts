import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DestinationFixture } from '../destination/destination-fixture.ts';
import { HostProcess } from '../host-process.ts';
import { orThorough } from '../../../../helpers/thorough.ts';

const KILLED_AT = pathToFileURL(join(import.meta.dirname, '../destination/killed-at.ts')).href;

let fixture: DestinationFixture;
beforeEach(() => {
  fixture = new DestinationFixture();
});
afterEach(() => fixture.close());

/** Begins a set-up in a process that is killed in the middle. @param moment `before` or `after`, and a file's name */
async function killedDuring(moment: string): Promise<void> {
  await using host = new HostProcess(fixture.at('home'), {
    NODE_OPTIONS: `--import=${KILLED_AT}`,
    HOLDFAST_TEST_KILLED_AT: moment,
  });
  await host.ready;
  const finish = { choice: fixture.folderChoice('backups'), deviceName: 'laptop' };
  await expect(host.call('setup.finish', finish)).rejects.toThrow('the host has ended');
}

test.each([
  ...orThorough(
    [],
    [
      [['before secrets.json']],
      [['before holdfast.json']],
      [['after holdfast.json']],
      [['before holdfast-copy.json']],
      [['after holdfast-copy.json']],
      [['before settings.json']],
      [['before secrets.json', 'after holdfast.json']],
    ],
  ),
  [['after secrets.json']],
  [['after holdfast.json', 'before holdfast-copy.json', 'before settings.json']],
])('a set-up that is killed is continued by the next one: %j', async (moments) => {
  for (const [index, moment] of moments.entries()) {
    // What is there already is not written again.
    const file = fixture.at('backups', moment.split(' ')[1]!);
    if (index === 0 || !existsSync(file)) await killedDuring(moment);
  }
  await using host = await fixture.start();
  await fixture.setUp(host);
  await fixture.backUp(host);
  const { device } = await host.until('this device', (state) => state.device !== undefined);
  expect(await fixture.differencesAt(fixture.at('backups'), device!.id)).toBe('');
  expect(readdirSync(fixture.at('home')).filter((file) => file.endsWith('.new'))).toEqual([]);
  // Nobody lacks a key of what is there.
  expect(readdirSync(fixture.at('backups', 'keys')).filter((file) => !file.startsWith('.'))).toHaveLength(1);
});

test('a set-up that was killed may set a passphrase when it is continued', async () => {
  await killedDuring('after holdfast.json');
  const setUp = async (home: string, passphrase: string) => {
    await using host = new HostProcess(fixture.at(home));
    await host.ready;
    const input = { choice: fixture.folderChoice('backups'), deviceName: home, passphrase };
    return await host.call('setup.finish', input);
  };
  expect(await setUp('home', 'six words')).toMatchObject({ isAdopted: false });
  expect(await setUp('other', 'six words')).toMatchObject({ isAdopted: true });
});

test('a set-up that was killed begins anew elsewhere, and goes on where it was', async () => {
  await killedDuring('after holdfast.json');
  await using host = await fixture.start();
  await fixture.setUp(host, fixture.folderChoice('other'));
  const phrase = fixture.phrase;
  await host.call('destinations.add', { choice: fixture.folderChoice('backups') });
  await fixture.backUp(host);
  expect(fixture.phrase).toBe(phrase);
  const { destinations } = await host.until('both', (state) => state.destinations.length === 2);
  expect(destinations.map(({ sets }) => sets[0]?.state)).toEqual(['succeeded', 'succeeded']);
});
