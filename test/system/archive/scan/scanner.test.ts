import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { chmod, mkdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DIRECTORY, FILE, SYMLINK, type KnownEntry } from '../../../../src/catalog/entries/entry.ts';
import { STAT_RECORD_BYTES, unpackStat } from '../../../../src/os/filesystem/stat-record.ts';
import { isHoldfastError } from '../../../../src/base/errors/errors.ts';
import { Exclusion } from '../../../../src/archive/scan/exclusion.ts';
import { Scanner } from '../../../../src/archive/scan/scanner.ts';
import type { FoundFile, NewEntry, ScanCatalog } from '../../../../src/archive/scan/types.ts';
import { KnownContent } from '../../../../src/archive/scan/known-content.ts';
import { Places } from '../../../../src/archive/scan/places.ts';
import {
  checkRoot,
  realSourceOf,
  type KnownSource,
  type RootState,
} from '../../../../src/archive/scan/source-check.ts';
import { replacedFs, systemError } from '../../../helpers/replaced-fs.ts';

/** A catalog in memory that stores files as soon as they are found. */
class MemoryCatalog implements ScanCatalog {
  readonly directories = new Map<number, Map<string, KnownEntry>>([[0, new Map()]]);
  readonly removed: string[] = [];

  children(directory: number | undefined): KnownEntry[] {
    const names = [...(this.directories.get(directory ?? -1)?.values() ?? [])];
    return names.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
  }

  chunksOf(): undefined {
    return undefined;
  }

  newDirectory(): number {
    const id = this.directories.size;
    this.directories.set(id, new Map());
    return id;
  }

  put(directory: number | undefined, entry: NewEntry): void {
    this.directories.get(directory!)!.set(entry.name, entry);
  }

  move(directory: number | undefined, known: KnownEntry, place: number): void {
    this.directories.get(directory!)!.set(known.name, { ...known, place });
  }

  remove(directory: number | undefined, known: KnownEntry): void {
    this.directories.get(directory!)!.delete(known.name);
    this.removed.push(known.name);
  }

  take(file: FoundFile): void {
    const entry = { name: file.name, kind: FILE, stat: file.stat, child: null, place: file.place } as const;
    this.directories.get(file.directory!)!.set(file.name, entry);
  }
}

interface ScanSettings {
  readonly excludes?: readonly string[];
  readonly presets?: readonly string[];
  readonly rehash?: boolean;
  readonly ownFolders?: readonly string[];
}

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'holdfast-scan-'));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function scan(
  catalog: MemoryCatalog,
  settings: ScanSettings = {},
): { found: FoundFile[]; scanner: Scanner; exclusion: Exclusion } {
  const exclusion = new Exclusion(settings.excludes ?? [], settings.presets ?? [], settings.ownFolders ?? []);
  const scanner = new Scanner(catalog, {
    exclusion,
    oneFileSystem: false,
    rehash: settings.rehash ?? false,
    accepts: () => false,
    places: new Places(),
  });
  scanner.addRoots(0, [stateOf(root)]);
  const found: FoundFile[] = [];
  for (let files = scanner.step(); files; files = scanner.step()) {
    for (const file of files) {
      catalog.take(file);
      found.push(file);
    }
  }
  return { found, scanner, exclusion };
}

function stateOf(path: string, known?: KnownSource, accepts = false): RootState {
  return checkRoot({ path, real: path }, known, { places: new Places(), accepts });
}

const names = (found: readonly FoundFile[]): string[] => found.map((file) => file.path.slice(root.length + 1));

describe('a scan', () => {
  test('finds every file once, in name order, and nothing without changes', async () => {
    await mkdir(join(root, 'b/c'), { recursive: true });
    await Promise.all(['b/c/z', 'b/a', 'a', 'b.txt'].map((name) => writeFile(join(root, name), name)));
    await symlink('nowhere', join(root, 'link'));
    const catalog = new MemoryCatalog();
    const first = scan(catalog);
    expect(names(first.found).sort()).toEqual(['a', 'b.txt', 'b/a', 'b/c/z']);
    expect(first.scanner.counts).toEqual({ entries: 8, files: 4, bytes: 14, unchangedFiles: 0 });
    const kinds = catalog.children(1).map((entry) => [entry.name, entry.kind]);
    expect(kinds).toEqual([
      ['a', FILE],
      ['b', DIRECTORY],
      ['b.txt', FILE],
      ['link', SYMLINK],
    ]);
    const second = scan(catalog);
    expect(second.found).toEqual([]);
    expect(second.scanner.counts).toEqual({ ...first.scanner.counts, unchangedFiles: 4 });
  });

  test('finds a file again when its content may have changed despite equal size and mtime', async () => {
    const file = join(root, 'file');
    await writeFile(file, 'before');
    await utimes(file, 1000, 1000);
    const catalog = new MemoryCatalog();
    scan(catalog);
    await writeFile(file, 'after!');
    await utimes(file, 1000, 1000);
    expect(names(scan(catalog).found)).toEqual(['file']);
  });

  test('finds every file with rehash', async () => {
    await writeFile(join(root, 'file'), 'x');
    const catalog = new MemoryCatalog();
    scan(catalog);
    expect(names(scan(catalog, { rehash: true }).found)).toEqual(['file']);
  });

  test('removes deleted entries, and a folder that became a file', async () => {
    await mkdir(join(root, 'folder'));
    await writeFile(join(root, 'folder/inside'), 'x');
    await writeFile(join(root, 'gone'), 'x');
    const catalog = new MemoryCatalog();
    scan(catalog);
    await rm(join(root, 'folder'), { recursive: true });
    await rm(join(root, 'gone'));
    await writeFile(join(root, 'folder'), 'now a file');
    expect(names(scan(catalog).found)).toEqual(['folder']);
    expect(catalog.removed.sort()).toEqual(['folder', 'gone']);
  });

  test('keeps what it knows of a folder that cannot be listed', async () => {
    await mkdir(join(root, 'folder'));
    for (const name of ['folder/a', 'folder/b', 'c']) await writeFile(join(root, name), name);
    const catalog = new MemoryCatalog();
    scan(catalog);
    using _fs = replacedFs(({ readdirSync }) => ({
      readdirSync: ((path: string, ...rest: []) => {
        if (path.endsWith('/folder')) throw systemError('EACCES');
        return readdirSync(path, ...rest);
      }) as typeof readdirSync,
    }));
    const { scanner } = scan(catalog);
    expect(catalog.removed).toEqual([]);
    expect(scanner.warnings).toMatchObject([{ path: join(root, 'folder') }]);
    expect(scanner.counts.files).toBe(3);
  });

  test.each([
    ['as one that cannot be read while it is still there', 'unreadable (ENOENT)', (): void => undefined],
    [
      'as deleted if the folder around it shows that it is',
      'vanished',
      (): void => rmSync(join(root, 'above/folder'), { recursive: true }),
    ],
    ['as deleted with the folder around it', 'vanished', (): void => rmSync(join(root, 'above'), { recursive: true })],
    [
      'as one that cannot be read if the source is gone, too',
      'unreadable (ENOENT)',
      (): void => rmSync(root, { recursive: true }),
    ],
  ] as const)('names a folder that is not there when it is listed %s', async (_name, reason, change) => {
    await mkdir(join(root, 'above/folder'), { recursive: true });
    await writeFile(join(root, 'above/folder/file'), 'kept');
    const catalog = new MemoryCatalog();
    scan(catalog);
    using _fs = replacedFs(({ readdirSync }) => ({
      readdirSync: ((path: string, ...rest: []) => {
        if (!path.endsWith('/above/folder')) return readdirSync(path, ...rest);
        change();
        throw systemError('ENOENT');
      }) as typeof readdirSync,
    }));
    const { scanner } = scan(catalog);
    expect(catalog.removed).toEqual([]);
    expect(scanner.warnings).toEqual([{ path: join(root, 'above/folder'), reason }]);
    expect(scanner.counts.files).toBe(1);
  });

  test.each(['EACCES', 'EIO'])('keeps an entry whose state cannot be read (%s)', async (code) => {
    await mkdir(join(root, 'folder'));
    for (const name of ['folder/a', 'b', 'c']) await writeFile(join(root, name), name);
    const catalog = new MemoryCatalog();
    scan(catalog);
    using _fs = replacedFs(({ lstatSync }) => ({
      lstatSync: ((path: string, options: { bigint: true }) => {
        if (path.endsWith('/folder') || path.endsWith('/b')) throw systemError(code);
        return lstatSync(path, options);
      }) as typeof lstatSync,
    }));
    const { scanner } = scan(catalog);
    expect(catalog.removed).toEqual([]);
    expect(scanner.warnings).toMatchObject([{ path: join(root, 'b') }, { path: join(root, 'folder') }]);
    expect(scanner.counts.files).toBe(3);
  });

  test('notes sockets, FIFOs and devices without a warning, and never opens them', () => {
    const made = spawnSync('sh', ['-c', 'mkfifo pipe && (mknod device c 1 3 || true)'], { cwd: root });
    expect(made.status).toBe(0);
    const { scanner, found } = scan(new MemoryCatalog());
    expect(found).toEqual([]);
    expect(scanner.notes).toContainEqual({ path: `${root}/pipe`, reason: 'special-file' });
    expect(scanner.warnings).toEqual([]);
  });

  // Root may read every folder.
  test.skipIf(process.getuid?.() === 0)('keeps the last version of unreadable entries', async () => {
    await mkdir(join(root, 'locked'));
    await writeFile(join(root, 'locked/file'), 'kept');
    const catalog = new MemoryCatalog();
    scan(catalog);
    await chmod(join(root, 'locked'), 0);
    const { scanner } = scan(catalog);
    await chmod(join(root, 'locked'), 0o700);
    expect(scanner.warnings).toEqual([{ path: `${root}/locked`, reason: 'permission-denied' }]);
    expect(scanner.counts.files).toBe(1);
    expect(catalog.removed).toEqual([]);
  });

  test('returns the stat of every file with nanoseconds', async () => {
    const file = join(root, 'file');
    await writeFile(file, 'x');
    spawnSync('touch', ['-d', '@1700000000.123456789', file]);
    const { found } = scan(new MemoryCatalog());
    expect(unpackStat(found[0]!.stat).mtimeNs).toBe(1700000000123456789n);
  });
});

describe('exclusion', () => {
  const CASES: readonly { rules: readonly string[]; files: readonly string[]; kept: readonly string[] }[] = [
    { rules: ['*.tmp'], files: ['a.tmp', 'b/c.tmp', 'd'], kept: ['d'] },
    { rules: ['/top'], files: ['top', 'b/top'], kept: ['b/top'] },
    { rules: ['cache/'], files: ['cache/x', 'b/cache/y', 'c/cache.txt'], kept: ['c/cache.txt'] },
    { rules: ['*.log', '!keep.log'], files: ['a.log', 'keep.log'], kept: ['keep.log'] },
    { rules: ['b/**/z'], files: ['b/z', 'b/c/z', 'z'], kept: ['z'] },
    { rules: ['# no rule', '', '\\#file'], files: ['#file', 'x'], kept: ['x'] },
  ];
  test.each(CASES)('$rules keeps $kept of $files', async ({ rules, files, kept }) => {
    for (const file of files) {
      await mkdir(join(root, file, '..'), { recursive: true });
      await writeFile(join(root, file), 'x');
    }
    expect(
      names(
        scan(new MemoryCatalog(), { excludes: rules.filter((rule) => rule && !rule.startsWith('# ')) }).found,
      ).sort(),
    ).toEqual(kept);
    await writeFile(join(root, '.holdfastignore'), rules.join('\n'));
    expect(
      names(scan(new MemoryCatalog()).found)
        .filter((name) => name !== '.holdfastignore')
        .sort(),
    ).toEqual(kept);
  });

  test('applies the innermost ignore file', async () => {
    await mkdir(join(root, 'inner'));
    await writeFile(join(root, '.holdfastignore'), '*.bak');
    await writeFile(join(root, 'inner/.holdfastignore'), '!*.bak');
    await writeFile(join(root, 'a.bak'), 'x');
    await writeFile(join(root, 'inner/b.bak'), 'x');
    expect(names(scan(new MemoryCatalog()).found)).toContain('inner/b.bak');
    expect(names(scan(new MemoryCatalog()).found)).not.toContain('a.bak');
  });

  test('counts the effect of each rule, removes known entries and lets the person override a preset', async () => {
    await mkdir(join(root, 'node_modules'));
    await writeFile(join(root, 'node_modules/x'), 'x');
    await writeFile(join(root, 'package.json'), '{}');
    await writeFile(join(root, 'big.iso'), 'four');
    const catalog = new MemoryCatalog();
    scan(catalog);
    const { exclusion } = scan(catalog, { excludes: ['*.iso'], presets: ['developer'] });
    expect(catalog.removed.sort()).toEqual(['big.iso', 'node_modules']);
    while (exclusion.leftOut.count(1));
    expect(exclusion.leftOut.byRule()).toEqual([
      { rule: '*.iso', files: 1, bytes: 4 },
      { rule: 'preset:developer: node_modules/ (package.json)', files: 1, bytes: 1 },
    ]);
    const overruled = scan(new MemoryCatalog(), { excludes: ['!node_modules/'], presets: ['developer'] });
    expect(names(overruled.found)).toContain('node_modules/x');
  });

  test("never takes Holdfast's own folders in", async () => {
    await mkdir(join(root, 'destination'));
    await writeFile(join(root, 'destination/blob'), 'x');
    await writeFile(join(root, 'mine'), 'x');
    const { found } = scan(new MemoryCatalog(), { ownFolders: [join(root, 'destination')] });
    expect(names(found)).toEqual(['mine']);
  });
});

describe('a root', () => {
  /** What the catalog has of it: a folder with files, seen where it is now or on a disk of its own. */
  const known = (files: number, isDisk = false): KnownSource => {
    const { place } = stateOf(root, undefined, true);
    const entry = { name: root, stat: Buffer.alloc(STAT_RECORD_BYTES), place: place.number } as const;
    const inside = Array.from({ length: files }, (_, index): KnownEntry => {
      return { ...entry, name: `${index}`, kind: FILE, child: null };
    });
    const folder = { ...entry, kind: DIRECTORY, child: 1, place: entry.place + (isDisk ? 1 : 0) } as const;
    return { entry: folder, content: new KnownContent(() => inside), hasLostFiles: () => false };
  };
  const codeOf = (check: () => unknown): string | undefined => {
    try {
      check();
      return undefined;
    } catch (error) {
      return isHoldfastError(error) ? error.code : String(error);
    }
  };

  test('is refused when it is missing, suddenly empty, or was a mount point', async () => {
    expect(codeOf(() => stateOf(join(root, 'missing'), undefined, true))).toBe('source_missing');
    expect(codeOf(() => stateOf(root, known(3)))).toBe('source_empty');
    expect(codeOf(() => stateOf(root, known(3), true))).toBeUndefined();
    await writeFile(join(root, 'file'), 'x');
    expect(codeOf(() => stateOf(root, known(3)))).toBeUndefined();
    expect(codeOf(() => stateOf(root, known(3, true)))).toBe('source_not_mounted');
    expect(codeOf(() => stateOf(root, known(3, true), true))).toBeUndefined();
  });

  test('may be empty in the first run, or when it was empty before', () => {
    expect(codeOf(() => stateOf(root))).toBeUndefined();
    expect(codeOf(() => stateOf(root, known(0)))).toBeUndefined();
  });

  test('is refused when it was a folder and became a file', async () => {
    await writeFile(join(root, 'file'), 'x');
    expect(codeOf(() => stateOf(join(root, 'file'), known(3)))).toBe('source_empty');
  });

  test('is what a link leads to, and missing if that is', async () => {
    await mkdir(join(root, 'folder'));
    await symlink('folder', join(root, 'link'));
    await symlink('gone', join(root, 'broken'));
    const { real, stat } = checkRoot({ path: join(root, 'link'), real: realSourceOf(join(root, 'link')) }, undefined, {
      places: new Places(),
      accepts: false,
    });
    expect([real, stat.isDirectory()]).toEqual([join(realpathSync(root), 'folder'), true]);
    expect(() => realSourceOf(join(root, 'broken'))).toThrow(
      expect.objectContaining({
        code: 'source_missing',
        details: { path: join(root, 'broken'), problem: 'link', target: 'gone' },
      }),
    );
  });
});
