import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');

// A packaged app forbids it (Electron's fuse RunAsNode): whoever could set a variable would run programs with its rights.
test('no source names the variable that runs Electron as Node', () => {
  const sources = ['src', 'bin'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  expect(sources.length).toBeGreaterThan(100);
  const named = sources.filter((file) => readFileSync(file, 'utf8').includes('ELECTRON_RUN_AS_NODE'));
  expect(named.map((file) => relative(root, file))).toEqual([]);
});
