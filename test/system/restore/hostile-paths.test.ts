import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isSafeName } from '../../../src/os/filesystem/names/entry-name.ts';
import type { RestoreReport } from '../../../src/restore/types.ts';
import { WorkerPool } from '../../../src/workers/pool.ts';
import { PYTHON, pythonHas } from '../../helpers/debian-python.ts';
import { RestoreWorld } from '../../helpers/memory-service/restore-world.ts';
import { Random } from '../../helpers/random.ts';

const pool = new WorkerPool(2);
let world: RestoreWorld;
beforeEach(() => {
  world = new RestoreWorld(pool);
});
afterEach(() => world[Symbol.dispose]());
afterAll(() => pool.close());

const PATHS = 5000;
const ESCAPE = '\u{10FFFD}';
const escaped = (text: string): string => ESCAPE + Buffer.from(text, 'latin1').toString('base64url');

/** Names that have been used against programs that unpack files, and those that one of three systems treats specially. */
// oxfmt-ignore
const NAMES = [
  '.', '..', '...', '', ' ', '-rf', '~', '$HOME', '%2e%2e', '..%2f', '..\\', '..\\..\\out', 'C:', 'C:out',
  'x:stream', 'con', 'CON', 'nul.txt', 'aux .c', 'COM1', 'com¹', 'LPT9.', 'CONIN$', 'conout$.log', 'clock$', 'prn ',
  'lpt0', 'trailing.', 'trailing ', 'a<b', 'a>b', 'a"b', 'a|b', 'a?b', 'a*b', 'line\nbreak', 'tab\t', 'bell\u0007',
  'nul\0', 'é', 'e\u0301', 'K', '\u212a', 'ß', 'SS', 'ı', 'I', '\ufb01', 'fi', '\u200b', '\u202egpj.exe', '\ufeff',
  '\ufffd', '\ud800', '\udfff', 'half\ud83d', ESCAPE, `${ESCAPE}=`, escaped('..'), escaped('../../out'),
  escaped('/etc/passwd'), escaped('plain'), escaped('\xff'), escaped('\xff/x'), escaped('\xfe\xff'), escaped('a\0'),
  `${escaped('\xff')}=`, 'x'.repeat(255), 'x'.repeat(256), 'é'.repeat(127), 'é'.repeat(128), 'Docs', 'docs',
  'PROGRA~1', '.DS_Store', '._x', '..namedfork', 'letter.txt', 'rsrc', '.holdfast', 'tree', '.git', 'desktop.ini',
  'Thumbs.db', '{}', "'; rm", '`id`', '\\\\?\\C:', 'dev',
];
const ALPHABET = ['a', 'b', '.', '.', '/', '\\', ':', ' ', '\0', '\u0001', '~', ESCAPE, 'é', '\ud800', '\uffff', 'Z'];

function hostilePath(random: Random): string {
  const name = (): string =>
    random.chance(0.6)
      ? random.pick(NAMES)
      : Array.from({ length: 1 + random.below(8) }, () => random.pick(ALPHABET)).join('');
  const segments = Array.from({ length: 1 + random.below(4) }, name);
  // A name of its own lets the path get past the others.
  if (random.chance(0.5)) segments.unshift(`own ${random.below(1_000_000)}`);
  return `${random.pick(['/data/', '/data/', '/data/', '/data/', '/', '//', '', 'C:/', '/data/../'])}${segments.join('/')}`;
}

function python(request: object): unknown {
  const script = join(import.meta.dirname, 'hostile_names.py');
  return JSON.parse(
    execFileSync(PYTHON, [script], { input: JSON.stringify(request), encoding: 'utf8', maxBuffer: 2 ** 26 }),
  );
}

/** Returns each file and link below a folder, by the hexadecimal bytes of its names. */
function entriesBelow(folder: Buffer, names: readonly string[] = []): Map<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (const entry of readdirSync(folder, { withFileTypes: true, encoding: 'buffer' })) {
    const path = Buffer.concat([folder, Buffer.from('/'), entry.name]);
    const place = [...names, entry.name.toString('hex')];
    if (entry.isDirectory()) for (const [key, data] of entriesBelow(path, place)) found.set(key, data);
    else found.set(place.join('/'), readFileSync(path));
  }
  return found;
}

/** Adds a restore point that lists paths, each with one of several contents. */
async function addPoint(paths: readonly string[]): Promise<readonly string[]> {
  for (let number = 0; number < 16; number += 1) writeFileSync(join(world.source, `text ${number}`), `text ${number}`);
  await world.backup();
  const known = world.service.points[0]!.files.filter((file) => file.path.startsWith(world.source));
  const contents = paths.map((_, index) => readFileSync(known[index % known.length]!.path, 'utf8'));
  world.service.addPoint(
    'hostile',
    paths.map((path, index) => Object.assign({}, known[index % known.length]!, { path })),
  );
  return contents;
}

const restoreHostile = (): Promise<RestoreReport> =>
  world.restore({ source: { backupSet: 'hostile' }, acceptUnverified: true, conflict: 'overwrite', paths: ['/data'] });

describe.skipIf(!pythonHas('json'))('restore of hostile paths', () => {
  test('writes what has a place of its own, names the rest, and touches nothing else', async () => {
    const random = new Random(14);
    const paths = [...new Set(Array.from({ length: PATHS * 2 }, () => hostilePath(random)))].slice(0, PATHS);
    expect(paths.length).toBe(PATHS);
    const contents = await addPoint(paths);
    const outside = (): Map<string, Buffer> => {
      const all = entriesBelow(Buffer.from(world.folder));
      const ours = [world.target, join(world.folder, 'scratch'), join(world.folder, 'catalog.sqlite')];
      const prefixes = ours.map((path) => Buffer.from(path.slice(world.folder.length + 1)).toString('hex'));
      return new Map([...all].filter(([key]) => !prefixes.some((prefix) => key.startsWith(prefix))));
    };
    const before = outside();
    const places = python({ paths }) as (string[] | null)[];

    for (const round of ['into an empty folder', 'over what is there']) {
      const report = await restoreHostile();
      expect(outside()).toEqual(before);
      const found = entriesBelow(Buffer.from(world.target));
      const failed = new Set(report.failures.map(({ path }) => path));
      let restored = 0;
      for (const [index, path] of paths.entries()) {
        const place = places[index]?.join('/');
        if (place === undefined || failed.has(path)) continue;
        expect({ round, path, text: found.get(place)?.toString() }).toEqual({ round, path, text: contents[index] });
        restored += 1;
      }
      // Every file on disk belongs to a path that was restored.
      expect(found.size).toBe(restored);
      expect(report.filesRestored).toBe(restored);
      // Only a path inside another file, or one that is too long together, may fail although each name is fine.
      const fine = paths.filter((path, index) => places[index] && failed.has(path));
      const files = new Set(paths);
      for (const path of fine) {
        const above = path.split('/').map((_, length, all) => all.slice(0, length).join('/'));
        expect({ path, isInAFile: above.some((parent) => files.has(parent)) }).toEqual({ path, isInAFile: true });
      }
      expect(restored).toBeGreaterThan(500);
      expect(failed.size).toBeGreaterThan(500);
    }
  });

  test('accepts a name for Windows when Windows does', () => {
    const random = new Random(41);
    const names = [
      ...new Set([...NAMES, ...Array.from({ length: PATHS }, () => hostilePath(random).split('/').at(-1)!)]),
    ].filter((name) => !name.includes(ESCAPE));
    const accepted = python({ names }) as boolean[];
    for (const [index, name] of names.entries()) {
      // Half a surrogate pair is a name on Windows, but none that Node could create there.
      const expected = accepted[index] === true && name.isWellFormed();
      expect({ name, isSafe: isSafeName(name, 'win32') }).toEqual({ name, isSafe: expected });
    }
  });
});

describe('restore into folders that are exchanged for links meanwhile', () => {
  const NAMES_OF_FOLDERS = Array.from({ length: 40 }, (_, index) => `folder ${String(index).padStart(2, '0')}`);

  test('writes nothing where the links lead, and restores the rest', async () => {
    for (const name of NAMES_OF_FOLDERS) {
      mkdirSync(join(world.source, name));
      for (let number = 0; number < 5; number += 1) {
        writeFileSync(join(world.source, name, `file ${number}`), `${name} ${number} `.repeat(100_000));
      }
    }
    await world.backup();
    const outside = join(world.folder, 'outside');
    mkdirSync(outside);
    for (const name of ['file 0', 'file 1']) writeFileSync(join(outside, name), 'mine');
    const root = join(world.target, 'source');
    // Half of the folders exist before the restore, the others are made by it.
    for (const name of NAMES_OF_FOLDERS.slice(0, 20)) mkdirSync(join(root, name), { recursive: true });

    const exchanged = new Set<string>();
    let downloads = 0;
    world.service.beforeDownload = () => {
      // A link that the plan has seen is replaced. This is about those that come later.
      if (!readdirSync(root, { recursive: true, encoding: 'utf8' }).some((name) => name.includes('/'))) return;
      downloads += 1;
      const name = NAMES_OF_FOLDERS[(downloads * 7) % NAMES_OF_FOLDERS.length]!;
      const folder = join(root, name);
      if (exchanged.has(name) || !lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
      renameSync(folder, join(world.folder, `moved ${name}`));
      symlinkSync(outside, folder);
      exchanged.add(name);
    };
    const report = await world.restore({ conflict: 'overwrite' });
    world.service.beforeDownload = undefined;

    expect(exchanged.size).toBeGreaterThan(5);
    expect(readdirSync(outside).sort()).toEqual(['file 0', 'file 1']);
    for (const name of readdirSync(outside)) expect(readFileSync(join(outside, name), 'utf8')).toBe('mine');
    const failed = new Set(report.failures.map(({ path }) => path));
    // A folder that became a link fails itself, too.
    const failedFiles = report.failures.filter(({ path }) => path.includes('/file '));
    expect(report.filesRestored + failedFiles.length).toBe(NAMES_OF_FOLDERS.length * 5);
    for (const name of NAMES_OF_FOLDERS) {
      const folder = exchanged.has(name) ? join(world.folder, `moved ${name}`) : join(root, name);
      for (let number = 0; number < 5; number += 1) {
        const original = join(world.source, name, `file ${number}`);
        if (failed.has(original)) expect([...exchanged]).toContain(name);
        else expect(readFileSync(join(folder, `file ${number}`)).equals(readFileSync(original))).toBe(true);
      }
    }
  });
});
