import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { circlesOfFiles, circlesOfFolders } from '../../../../scripts/parts/circles.ts';
import { refusedImports, unusedLines } from '../../../../scripts/parts/directions.ts';
import { importsOf, readImports, type Import } from '../../../../scripts/parts/import-graph.ts';
import { mapOfParts, withMap } from '../../../../scripts/parts/map.ts';
import { PARTS } from '../../../../scripts/parts/matrix.ts';

const root = dirname(dirname(dirname(dirname(import.meta.dirname))));
const imports = readImports(root);

describe('the parts of src', () => {
  test('import only what the matrix allows', () => {
    expect(imports.length).toBeGreaterThan(5_000);
    expect(refusedImports(imports)).toEqual([]);
  });

  test('need every line of the matrix', () => {
    expect(unusedLines(imports)).toEqual([]);
  });

  test('import in no circle, types included, neither files nor folders', () => {
    expect(circlesOfFiles(imports)).toEqual([]);
    expect(circlesOfFolders(imports)).toEqual([]);
  });

  test('use only parts that come before them', () => {
    const later = PARTS.flatMap(({ name, uses, types }, place) =>
      [...uses, ...types]
        .filter((folder) => PARTS.slice(place).some((part) => folder.startsWith(part.name)))
        .map((folder) => `${name} before ${folder}`),
    );
    expect(later).toEqual([]);
  });

  test('are in docs/architecture.md as the matrix has them (npm run parts)', () => {
    const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
    expect(page).toBe(withMap(page, mapOfParts()));
  });
});

/** Any import of one folder from another. */
function planted(from: string, to: string, isType: boolean): Import {
  return { from: `src/${from}/planted.ts`, to: `src/${to}/planted.ts`, isOurs: true, isType };
}

describe('the guard', () => {
  const pairs = PARTS.flatMap((part) => PARTS.filter((other) => other !== part).map((other) => ({ part, other })));

  test.each(PARTS.map(({ name }) => name))('reports each import that %s may not have', (name) => {
    for (const { part, other } of pairs.filter(({ part: one }) => one.name === name)) {
      const isAllowed = part.uses.includes(other.name);
      const isAllowedAsType = isAllowed || part.types.includes(other.name);
      expect([other.name, refusedImports([planted(name, other.name, false)]).length]).toEqual([
        other.name,
        isAllowed ? 0 : 1,
      ]);
      expect([other.name, refusedImports([planted(name, other.name, true)]).length]).toEqual([
        other.name,
        isAllowedAsType ? 0 : 1,
      ]);
    }
    for (const foreign of ['electron', 'hono', 'react', 'commander', 'left-pad', 'node:fs']) {
      const { runs, packages } = PARTS.find((part) => part.name === name)!;
      const isAllowed = foreign.startsWith('node:') ? ['node', 'electron'].includes(runs) : packages.includes(foreign);
      const [one] = importsOf(`src/${name}/planted.ts`, `import { planted } from '${foreign}';`);
      expect([foreign, refusedImports([one!]).length]).toEqual([foreign, isAllowed ? 0 : 1]);
    }
  });

  test('lets the command line into the administration of the service and nowhere else', () => {
    expect(refusedImports([planted('cli/commands', 'service/administration', false)])).toEqual([]);
    expect(refusedImports([planted('cli/commands', 'service/store', false)])).toHaveLength(1);
  });

  test('reports a folder that is no part', () => {
    expect(refusedImports([planted('elsewhere', 'base', false)])).toHaveLength(1);
    expect(refusedImports([planted('agent', 'elsewhere', false)])).toHaveLength(1);
  });

  test('reports a line of the matrix that nothing needs', () => {
    const [part] = PARTS;
    const parts = [{ ...part!, uses: ['protocol'], types: ['ipc'], packages: ['left-pad'] }];
    expect(unusedLines([planted('base', 'protocol', true)], parts)).toEqual([
      'base does not use protocol',
      'base has no types of ipc',
      'base does not use left-pad',
    ]);
  });

  test.each([
    ['import { a } from "../other/b.ts";', false],
    ['import "../other/b.ts";', false],
    ['import type { A } from "../other/b.ts";', true],
    ['import { type A } from "../other/b.ts";', true],
    ['import { type A, b } from "../other/b.ts";', false],
    ['export { a } from "../other/b.ts";', false],
    ['export type { A } from "../other/b.ts";', true],
    ['export * from "../other/b.ts";', false],
    ['const a = await import("../other/b.ts");', false],
    ['let a: import("../other/b.ts").A;', true],
    ['new Worker(new URL("../other/b.ts", import.meta.url));', false],
  ])('reads %s', (source, isType) => {
    expect(importsOf('src/one/a.ts', source)).toEqual([
      { from: 'src/one/a.ts', to: 'src/other/b.ts', isOurs: true, isType },
    ]);
  });

  test('reads the names of packages', () => {
    const source = 'import a from "zod/mini"; import b from "@noble/hashes/sha2.js"; import c from "node:fs/promises";';
    expect(importsOf('src/one/a.ts', source).map(({ to }) => to)).toEqual(['zod', '@noble/hashes', 'node:fs/promises']);
  });

  test('refuses a file that it cannot read', () => {
    expect(() => importsOf('src/one/a.ts', 'import {')).toThrow('src/one/a.ts');
  });

  const circle = [
    planted('agent/a', 'agent/b', true),
    planted('agent/b', 'agent/c', false),
    planted('agent/c', 'agent/a', true),
  ];

  test('reports circles of files and of folders', () => {
    expect(circlesOfFiles(circle)).toEqual([
      ['src/agent/a/planted.ts', 'src/agent/b/planted.ts', 'src/agent/c/planted.ts'],
    ]);
    expect(circlesOfFolders(circle)).toEqual([['src/agent/a', 'src/agent/b', 'src/agent/c']]);
    expect(circlesOfFiles(circle.slice(1))).toEqual([]);
    expect(circlesOfFolders(circle.slice(1))).toEqual([]);
  });

  test('reports folders whose files import each other without a circle of files', () => {
    const files = [
      planted('agent/a/deep', 'agent/b', true),
      { ...planted('agent/b', 'agent/a', true), from: 'src/agent/b/other.ts' },
    ];
    expect(circlesOfFiles(files)).toEqual([]);
    expect(circlesOfFolders(files)).toEqual([['src/agent/a', 'src/agent/b']]);
  });

  test('lets a folder use what lies above it, and be used by it', () => {
    expect(circlesOfFolders([planted('agent/a', 'agent', false), planted('agent', 'agent/a', false)])).toEqual([]);
  });
});
