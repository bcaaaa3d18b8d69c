import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { Server } from './server.ts';
import { Workplace } from './workplace.ts';

let workplace: Workplace;

beforeEach(() => {
  workplace = new Workplace();
  mkdirSync(workplace.path('source'));
  return () => workplace[Symbol.dispose]();
});

/** Returns the files below a folder that others than their owner may read or write. */
function openToOthers(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => {
      const found = lstatSync(join(folder, name));
      return found.isFile() && (found.mode & 0o077) !== 0;
    });
}

test('files of a home are for their owner only when its folder exists and is open to others', async () => {
  mkdirSync(workplace.home, { mode: 0o755 });
  await workplace.setUp();
  await workplace.addSet('documents', workplace.path('source'));
  await workplace.json(['backup', 'documents']);
  expect(openToOthers(workplace.home)).toEqual([]);
  // As an earlier version, or a copy, has left them.
  for (const name of openable(workplace.home)) chmodSync(name, 0o644);
  await workplace.json(['backup', 'documents']);
  expect(openToOthers(workplace.home).filter((name) => /catalog|projection|append|^lock/.test(name))).toEqual([]);
});

function openable(folder: string): string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((name) => statSync(name).isFile() && /\.sqlite$|\.lock$/.test(name));
}

test('the keys of a new home are in a file for its owner only, and the status says so', async () => {
  await workplace.setUp();
  expect(statSync(join(workplace.home, 'secrets.json')).mode & 0o777).toBe(0o600);
  expect(await workplace.json(['status'])).toMatchObject({ keys: 'file' });
  expect((await workplace.run('status')).stdout).toContain('in a file that only you can read; no keychain is used');
});

test('restored files have their own modes', async () => {
  const modes = [0o600, 0o644, 0o664, 0o755, 0o777];
  for (const mode of modes) {
    writeFileSync(workplace.path('source', mode.toString(8)), 'content');
    chmodSync(workplace.path('source', mode.toString(8)), mode);
  }
  mkdirSync(workplace.path('source', 'shared'));
  chmodSync(workplace.path('source', 'shared'), 0o775);
  await workplace.setUp();
  await workplace.addSet('documents', workplace.path('source'));
  await workplace.json(['backup', 'documents']);
  await workplace.json(['restore', 'documents', '--to', workplace.path('target')]);
  const restored = (name: string): number => statSync(workplace.path('target', 'source', name)).mode & 0o777;
  expect(modes.map((mode) => restored(mode.toString(8)))).toEqual(modes);
  expect(restored('shared')).toBe(0o775);
});

test('files of a service are for their owner only when its folder exists and is open to others', async () => {
  const data = workplace.path('data');
  mkdirSync(data, { mode: 0o755 });
  await using server = await Server.start(workplace, data);
  expect(server.address).toMatch(/^http/);
  expect(openToOthers(data)).toEqual([]);
  // It is made without a mode of its own.
  expect(statSync(join(data, 'objects', 'packs')).mode & 0o077).toBe(0);
});
