import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { requireStoredSettings } from '../../../../../src/agent/home/settings.ts';
import { HomeLock } from '../../../../../src/agent/home/home-lock.ts';
import { setupHandlers } from '../../../../../src/agent/host/setup/setup-handlers.ts';
import type { Call } from '../../../../../src/base/calls/contract.ts';
import { destinationMethods } from '../../../../../src/ipc/contract/destination.ts';
import { setupMethods } from '../../../../../src/ipc/contract/setup.ts';
import { failureFrom, HandlerFixture } from '../../../../unit/agent/host/handler-fixture.ts';

const METHODS = { ...setupMethods, ...destinationMethods };

let fixture: HandlerFixture;
let ask: Call<typeof METHODS>;

beforeEach(async () => {
  fixture = new HandlerFixture();
  ask = fixture.ask(METHODS, setupHandlers(fixture.host()));
  await ask('setup.finish', { choice: folder('backups'), deviceName: 'laptop' });
  fixture.write('docs/a', 'one');
  const roots = [fixture.path('docs')];
  await fixture.agent.addSet({
    form: { name: 'docs', roots, excludes: [], oneFileSystem: false, privateNames: false },
  });
});
afterEach(() => fixture.close());

function folder(...names: readonly string[]): { readonly kind: 'folder'; readonly path: string } {
  return { kind: 'folder', path: fixture.path(...names) };
}

const entries = () => requireStoredSettings(fixture.home).destinations;
const names = (): readonly string[] => entries().map(({ name }) => name);

describe('another destination', () => {
  test('comes behind the others, with a device of its own and the same key', async () => {
    const before = entries();
    const { id, name, isContinued } = await ask('destinations.add', {
      choice: folder('second'),
      schedule: 'daily 18:30',
    });
    expect({ name, isContinued }).toEqual({ name: 'second', isContinued: false });
    expect(entries()).toEqual([
      ...before,
      expect.objectContaining({ id, name, deviceName: 'laptop', schedule: 'daily 18:30' }),
    ]);
    expect(entries()[1]!.deviceId).not.toBe(before[0]!.deviceId);
    await fixture.agent.at('second').backup({ set: 'docs' }, {});
    expect(await fixture.agent.at('second').points({ set: 'docs' })).toHaveLength(1);
    expect(await fixture.agent.at('backups').points({ set: 'docs' })).toHaveLength(0);
    expect(fixture.notified.changed).toBe(2);
  });

  test('is refused at the location of another one, or with its name', async () => {
    const before = entries();
    const add = (name: string, called?: string): Promise<unknown> =>
      ask('destinations.add', { choice: folder(name), ...(called === undefined ? {} : { name: called }) });
    expect(await failureFrom(add('backups'))).toEqual({
      code: 'usage',
      details: { problem: 'destination-same', directory: fixture.path('backups') },
    });
    expect(await failureFrom(add('second', 'BACKUPS'))).toEqual({
      code: 'destination_exists',
      details: { destination: 'BACKUPS' },
    });
    expect(existsSync(fixture.path('second'))).toBe(false);
    const scheduled = ask('destinations.add', { choice: folder('second'), schedule: 'at tea time' });
    expect(await failureFrom(scheduled)).toMatchObject({ details: { problem: 'schedule' } });
    expect(entries()).toEqual(before);
  });

  test('is refused if it is the repository of another one by another address', async () => {
    mkdirSync(fixture.path('mount'));
    cpSync(fixture.path('backups'), fixture.path('mount', 'backups'), { recursive: true });
    expect(await failureFrom(ask('destinations.add', { choice: folder('mount', 'backups') }))).toEqual({
      code: 'usage',
      details: { problem: 'destination-same', directory: fixture.path('backups') },
    });
    await ask('destinations.add', { choice: folder('second') });
    cpSync(fixture.path('second'), fixture.path('mount', 'second'), { recursive: true });
    expect(await failureFrom(ask('destinations.add', { choice: folder('mount', 'second') }))).toMatchObject({
      details: { problem: 'destination-same', directory: fixture.path('second') },
    });
    expect(names()).toEqual(['backups', 'second']);
  });

  test('is refused within another one and within the home', async () => {
    for (const [path, own] of [
      [fixture.path('backups', 'inner'), fixture.path('backups')],
      [join(fixture.home.folder, 'inner'), fixture.home.folder],
    ]) {
      expect(await failureFrom(ask('destinations.add', { choice: { kind: 'folder', path: path! } }))).toEqual({
        code: 'usage',
        details: { problem: 'inside-own-folder', path, folder: own },
      });
      expect(existsSync(path!)).toBe(false);
    }
    expect(names()).toEqual(['backups']);
  });

  test('continues a former one that has lost a pack', async () => {
    const { id } = await ask('destinations.add', { choice: folder('second') });
    await fixture.agent.at('second').backup({ set: 'docs' }, {});
    await ask('destinations.remove', { destination: id });
    for (const pack of readdirSync(fixture.path('second', 'packs'), { recursive: true, withFileTypes: true })) {
      if (pack.isFile()) rmSync(join(pack.parentPath, pack.name));
    }
    expect(await ask('destinations.add', { choice: folder('second') })).toMatchObject({ isContinued: true });
  });

  test('with backups under another key is refused', async () => {
    const other = new HandlerFixture();
    const setUp = other.ask(setupMethods, setupHandlers(other.host()));
    await setUp('setup.finish', { choice: folder('of another'), deviceName: 'tower' });
    other.close();
    const adding = ask('destinations.add', { choice: folder('of another') });
    expect(await failureFrom(adding)).toMatchObject({ code: 'phrase_other_account' });
    expect(names()).toEqual(['backups']);
  });

  test('can be added while a run is active, but not removed', async () => {
    using _run = HomeLock.acquire(fixture.home, 'backup docs', Date.now());
    const { id } = await ask('destinations.add', { choice: folder('second') });
    expect(await failureFrom(ask('destinations.remove', { destination: id }))).toMatchObject({ code: 'home_busy' });
    expect(names()).toEqual(['backups', 'second']);
  });

  test('gets the retention policies of the first one', async () => {
    await fixture.agent.backup({ set: 'docs' }, {});
    const policy = {
      keep_all_days: 0,
      hourly: 0,
      daily: 3,
      weekly: 0,
      monthly: 0,
      yearly: 0,
      time_zone: 'Europe/Berlin',
    };
    await fixture.agent.retention({ set: 'docs', action: 'set', policy });
    await ask('destinations.add', { choice: folder('second') });
    await fixture.agent.at('second').backup({ set: 'docs' }, {});
    const { state } = await fixture.agent.at('second').retention({ set: 'docs', action: 'show' });
    expect(state.policy).toEqual(policy);
    await fixture.agent.retention({ set: 'docs', action: 'set', policy: null });
    const kept = await fixture.agent.at('second').retention({ set: 'docs', action: 'show' });
    expect(kept.state.policy).toEqual(policy);
  });
});

describe('a destination', () => {
  test('gets another name and schedule', async () => {
    const { id } = await ask('destinations.add', { choice: folder('second') });
    await ask('destinations.change', { destination: id, name: 'Office' });
    await ask('destinations.change', { destination: id, schedule: 'hourly' });
    expect(entries()[1]).toMatchObject({ id, name: 'Office', schedule: 'hourly' });
    // Its own name in another case is free.
    await ask('destinations.change', { destination: id, name: ' OFFICE ' });
    await ask('destinations.change', { destination: id, schedule: null });
    expect(entries()[1]).toMatchObject({ id, name: 'OFFICE' });
    expect(entries()[1]!.schedule).toBeUndefined();
    expect(await failureFrom(ask('destinations.change', { destination: id, name: 'backups' }))).toMatchObject({
      code: 'destination_exists',
    });
    expect(await failureFrom(ask('destinations.change', { destination: id, name: 'a\nb' }))).toMatchObject({
      details: { problem: 'destination-name' },
    });
    expect(await failureFrom(ask('destinations.change', { destination: id, schedule: 'never' }))).toMatchObject({
      details: { problem: 'schedule' },
    });
    expect(await failureFrom(ask('destinations.change', { destination: '00000000', name: 'x' }))).toMatchObject({
      code: 'destination_unknown',
    });
  });

  test('that was removed is continued when it is added again', async () => {
    const { id } = await ask('destinations.add', {
      choice: folder('second'),
      name: 'Office',
      schedule: 'hourly',
    });
    await fixture.agent.at('Office').backup({ set: 'docs' }, {});
    const [, before] = entries();
    await ask('destinations.remove', { destination: id });
    expect(names()).toEqual(['backups']);
    const { destinations } = await ask('destination.former', {});
    expect(destinations).toMatchObject([{ kind: 'folder', name: 'Office', location: fixture.path('second') }]);
    expect(() => fixture.agent.at('Office')).toThrow(
      expect.objectContaining({ code: 'destination_unknown', details: { destination: 'Office', known: ['backups'] } }),
    );
    fixture.write('docs/b', 'two');

    expect(await ask('destinations.add', { choice: folder('second') })).toEqual({
      id,
      name: 'Office',
      isContinued: true,
    });
    expect(entries()[1]).toEqual(before);
    expect((await ask('destination.former', {})).destinations).toEqual([]);
    const { filesProcessed, chunksDeduped } = await fixture.agent.at('Office').backup({ set: 'docs' }, {});
    expect(filesProcessed).toBe(2);
    expect(chunksDeduped).toBeGreaterThan(0);
    expect(await fixture.agent.at('Office').points({ set: 'docs' })).toHaveLength(2);
  });

  test('that was removed begins anew when its backups are gone', async () => {
    const { id } = await ask('destinations.add', { choice: folder('second') });
    await fixture.agent.at('second').backup({ set: 'docs' }, {});
    await ask('destinations.remove', { destination: id });
    rmSync(fixture.path('second'), { recursive: true });
    const again = await ask('destinations.add', { choice: folder('second') });
    expect(again).toMatchObject({ name: 'second', isContinued: false });
    expect(again.id).not.toBe(id);
    expect((await ask('destination.former', {})).destinations).toMatchObject([{ name: 'second' }]);
  });

  test('stays as the only one', async () => {
    const [{ id } = { id: '' }] = entries();
    expect(await failureFrom(ask('destinations.remove', { destination: id }))).toEqual({
      code: 'usage',
      details: { problem: 'destination-last' },
    });
  });

  test('may be the first one that is removed', async () => {
    const [first] = entries();
    await ask('destinations.add', { choice: folder('second') });
    await ask('destinations.remove', { destination: first!.id });
    expect(names()).toEqual(['second']);
    renameSync(fixture.path('backups'), fixture.path('unplugged'));
    await fixture.agent.backup({ set: 'docs' }, {});
    expect(await fixture.agent.points({ set: 'docs' })).toHaveLength(1);
    expect(await fixture.agent.recoveryPhrase()).toMatch(/^\w+( \w+){23}$/);
    await ask('destinations.add', { choice: folder('third') });
    renameSync(fixture.path('unplugged'), fixture.path('backups'));
    expect(await ask('destinations.add', { choice: folder('backups') })).toMatchObject({
      id: first!.id,
      isContinued: true,
    });
    expect(names()).toEqual(['second', 'third', 'backups']);
  });
});
