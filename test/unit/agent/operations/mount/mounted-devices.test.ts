import { describe, expect, test } from 'vitest';
import { setupHandlers } from '../../../../../src/agent/host/setup/setup-handlers.ts';
import { MountedDevices, withFileNames } from '../../../../../src/agent/operations/mount/mounted-devices.ts';
import { MountedSets } from '../../../../../src/agent/operations/mount/mounted-sets.ts';
import { setupMethods } from '../../../../../src/ipc/contract/setup.ts';
import { PointCaches } from '../../../../../src/mount/mounted-point.ts';
import { MINUTE } from '../../../../../src/model/units.ts';
import { HandlerFixture } from '../../host/handler-fixture.ts';

describe('names of folders for devices and sets', () => {
  test.each([
    [
      ['docs', 'photos'],
      ['docs', 'photos'],
    ],
    [
      ['a/b', 'a_b'],
      ['a_b', 'a_b (2)'],
    ],
    [
      ['', '.', '..'],
      ['_', '_ (2)', '_ (3)'],
    ],
    [['line\nbreak\u001b[2J'], ['line_break_[2J']],
    [
      ['same', 'same', 'same'],
      ['same', 'same (2)', 'same (3)'],
    ],
  ])('are valid and different for %j', (names, expected) => {
    expect(withFileNames(names.map((name) => ({ name }))).map(({ name }) => name)).toEqual(expected);
  });

  test('are no longer than a file name, whatever their letters', () => {
    for (const letter of ['x', 'ü', '漢', '😀']) {
      const names = withFileNames([{ name: letter.repeat(300) }, { name: letter.repeat(300) }]);
      for (const { name } of names) {
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
        expect(name.isWellFormed()).toBe(true);
      }
      expect(names[0]!.name).not.toBe(names[1]!.name);
    }
  });
});

test('the folder of a device shows new sets to a program that stays in it', async () => {
  const fixture = new HandlerFixture();
  try {
    const setup = fixture.ask(setupMethods, setupHandlers(fixture.host()));
    await setup('setup.finish', {
      choice: { kind: 'folder', path: fixture.path('backups') },
      deviceName: 'laptop',
    });
    const add = async (name: string): Promise<void> => {
      fixture.write(`${name}/a`, name);
      const roots = [fixture.path(name)];
      await fixture.agent.addSet({ form: { name, roots, excludes: [], oneFileSystem: false, privateNames: false } });
    };
    await add('docs');
    let now = fixture.parts.clock.now();
    const parts = { ...fixture.parts, clock: { ...fixture.parts.clock, now: () => now } };
    const { signal } = new AbortController();
    await using sets = new MountedSets(parts, new PointCaches(), signal);
    const [device] = await new MountedDevices(parts, sets).list(signal);
    const { content } = device!;
    if (content.kind !== 'folder') throw new Error('a device is a folder');
    const names = async (): Promise<readonly string[]> => (await content.folder.list(signal)).map(({ name }) => name);
    expect(await names()).toEqual(['docs']);
    await add('photos');
    now += MINUTE;
    expect((await names()).toSorted()).toEqual(['docs', 'photos']);
  } finally {
    fixture.close();
  }
});
