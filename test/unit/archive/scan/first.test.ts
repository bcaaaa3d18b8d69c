import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FILE, type KnownEntry } from '../../../../src/catalog/entries/entry.ts';
import { Exclusion } from '../../../../src/archive/scan/exclusion.ts';
import { Scanner } from '../../../../src/archive/scan/scanner.ts';
import type { FoundFile, NewEntry, ScanCatalog } from '../../../../src/archive/scan/types.ts';
import { Places } from '../../../../src/archive/scan/places.ts';
import { checkRoot } from '../../../../src/archive/scan/source-check.ts';

/** Records the entries that are put and the files that are found. */
class MemoryCatalog implements ScanCatalog {
  readonly #directories = new Map<number, Map<string, KnownEntry>>([[0, new Map()]]);
  readonly visited: (number | undefined)[] = [];

  children(directory: number | undefined): KnownEntry[] {
    this.visited.push(directory);
    return this.#entries(directory);
  }

  chunksOf(): undefined {
    return undefined;
  }

  newDirectory(): number {
    const id = this.#directories.size;
    this.#directories.set(id, new Map());
    return id;
  }

  put(directory: number | undefined, entry: NewEntry): void {
    this.#directories.get(directory!)!.set(entry.name, entry);
  }

  remove(directory: number | undefined, known: KnownEntry): void {
    this.#directories.get(directory!)!.delete(known.name);
  }

  move(directory: number | undefined, known: KnownEntry, place: number): void {
    this.#directories.get(directory!)!.set(known.name, { ...known, place });
  }

  take({ directory, name, stat, place }: FoundFile): void {
    this.#directories.get(directory!)!.set(name, { name, kind: FILE, stat, child: null, place });
  }

  /** Without folder ids, which depend on the order of the scan. */
  tree(directory = 0): unknown {
    return this.#entries(directory).map(({ name, kind, stat, child }) => ({
      name,
      kind,
      stat: stat.toString('hex'),
      inside: child === null ? undefined : this.tree(child),
    }));
  }

  #entries(directory: number | undefined): KnownEntry[] {
    const entries = [...(this.#directories.get(directory ?? -1)?.values() ?? [])];
    return entries.sort((one, other) => Buffer.compare(Buffer.from(one.name), Buffer.from(other.name)));
  }
}

function scan(root: string, catalog: MemoryCatalog, first: readonly string[]) {
  const exclusion = new Exclusion(['*.tmp'], [], []);
  const places = new Places();
  const scanner = new Scanner(catalog, {
    exclusion,
    oneFileSystem: false,
    rehash: false,
    accepts: () => true,
    places,
    first,
  });
  const found: string[] = [];
  catalog.visited.length = 0;
  scanner.addRoots(0, [checkRoot({ path: root, real: root }, undefined, { places, accepts: true })]);
  for (let files = scanner.step(); files; files = scanner.step()) {
    for (const file of files) {
      catalog.take(file);
      found.push(file.path);
    }
  }
  expect(new Set(catalog.visited).size).toBe(catalog.visited.length);
  const { warnings, counts } = scanner;
  return {
    found: found.sort(),
    warnings,
    counts,
    excluded: exclusion.leftOut.byRule(),
    visits: catalog.visited.length,
  };
}

const names = fc.constantFrom('a', 'b', 'ab', 'c.tmp', '.x');
const paths = fc.array(fc.array(names, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 });

test('finds the same and scans every folder once, whatever comes first', () => {
  fc.assert(
    fc.property(paths, paths, paths, (before, after, first) => {
      const root = mkdtempSync(join(tmpdir(), 'holdfast-first-'));
      try {
        const [plain, ordered] = [new MemoryCatalog(), new MemoryCatalog()];
        makeFiles(root, before);
        const wanted = first.map((segments) => [root, ...segments].join('/'));
        expect(scan(root, ordered, wanted)).toEqual(scan(root, plain, []));
        makeFiles(root, after);
        rmSync(join(root, ...before[0]!), { recursive: true, force: true });
        expect(scan(root, ordered, wanted)).toEqual(scan(root, plain, []));
        expect(ordered.tree()).toEqual(plain.tree());
      } finally {
        rmSync(root, { recursive: true });
      }
    }),
    { numRuns: 30 },
  );
});

/** A file in each folder. */
function makeFiles(root: string, folders: readonly (readonly string[])[]): void {
  for (const segments of folders) {
    const folder = join(root, ...segments);
    mkdirSync(folder, { recursive: true });
    if (segments.length % 2 === 0) appendFileSync(join(folder, 'file'), 'more');
    else writeFileSync(join(folder, `${segments.length}`), '');
  }
}
