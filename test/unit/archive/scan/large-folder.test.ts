import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Catalog } from '../../../../src/catalog/catalog.ts';
import { FILE } from '../../../../src/catalog/entries/entry.ts';
import { Exclusion } from '../../../../src/archive/scan/exclusion.ts';
import { Scanner } from '../../../../src/archive/scan/scanner.ts';
import type { FoundFile } from '../../../../src/archive/scan/types.ts';
import { Places } from '../../../../src/archive/scan/places.ts';
import { checkRoot } from '../../../../src/archive/scan/source-check.ts';
import { commitAll } from '../../../helpers/catalog.ts';

const FILES = 3000;

let folder: string;
let root: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-large-'));
  root = join(folder, 'root');
  mkdirSync(root);
  for (let index = 0; index < FILES; index += 1) writeFileSync(fileAt(index), '');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function fileAt(index: number): string {
  return join(root, `file ${String(index).padStart(5, '0')}`);
}

/** Scans into the catalog and stores the found files after each step, as worker threads do. Returns each step's files. */
function scan(catalog: Catalog): number[] {
  const { entries } = catalog;
  const run = entries.beginRun('set');
  const places = new Places();
  const scanner = new Scanner(
    {
      children: (directory) => entries.eachChild(directory!),
      chunksOf: () => undefined,
      newDirectory: () => entries.newDirectory(run),
      put: (directory, entry) => entries.put(directory!, { ...entry, chunks: null }, run),
      remove: (directory, known) => entries.remove(directory!, known.name, known.child),
    },
    { exclusion: new Exclusion([], [], []), oneFileSystem: false, rehash: false, accepts: () => false, places },
  );
  scanner.addRoots(run.rootsDirectory, [checkRoot({ path: root, real: root }, undefined, { places, accepts: false })]);
  const put = ({ directory, name, stat, detail, place }: FoundFile): void =>
    entries.put(directory!, { name, kind: FILE, stat, child: null, detail, place, chunks: null }, run);
  const found: number[] = [];
  for (let files = scanner.step(); files; files = scanner.step()) {
    found.push(files.length);
    files.forEach(put);
  }
  commitAll(catalog, run);
  const known = entries.find(run.rootsDirectory, root)!.child!;
  expect(entries.children(known).map(({ name }) => name)).toEqual(readdirSync(root).sort());
  return found;
}

test('compares a folder of many files in parts, whatever happens to them', () => {
  using catalog = new Catalog(join(folder, 'catalog.sqlite'));
  const first = scan(catalog);
  expect(first.reduce((sum, files) => sum + files, 0)).toBe(FILES);
  expect(Math.max(...first)).toBeLessThan(FILES / 2);
  expect(scan(catalog).every((files) => files === 0)).toBe(true);
  let added = 0;
  for (let index = 0; index < FILES; index += 1) {
    if (index % 7 === 0 || (index > 900 && index < 1300)) rmSync(fileAt(index));
    if (index % 7 === 1) {
      rmSync(fileAt(index), { force: true });
      mkdirSync(fileAt(index));
    }
    if (index % 70 === 2) {
      rmSync(fileAt(index), { force: true });
      symlinkSync('elsewhere', fileAt(index));
    }
    if (index % 5 === 0) {
      writeFileSync(`${fileAt(index)} and another`, '');
      added += 1;
    }
  }
  expect(scan(catalog).reduce((sum, files) => sum + files, 0)).toBe(added);
  for (let index = 0; index < FILES; index += 1) rmSync(fileAt(index), { recursive: true, force: true });
  scan(catalog);
});
