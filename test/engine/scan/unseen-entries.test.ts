import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FILE, type KnownEntry } from '../../../src/engine/catalog/entries/entries.ts';
import { Exclusion } from '../../../src/engine/scan/exclusion.ts';
import type { Place, Places } from '../../../src/engine/scan/places.ts';
import { Scanner } from '../../../src/engine/scan/scanner.ts';
import { checkRoot } from '../../../src/engine/scan/source-check.ts';
import type { FoundFile, NewEntry, ScanCatalog } from '../../../src/engine/scan/types.ts';
import { replacedFs, systemError } from '../../helpers/replaced-fs.ts';

/** A catalog in memory that stores files as soon as they are found. It outlives runs that end early. */
class MemoryCatalog implements ScanCatalog {
  readonly #directories = new Map<number, Map<string, KnownEntry>>([[0, new Map()]]);

  children(directory: number | undefined): KnownEntry[] {
    const names = [...(this.#directories.get(directory ?? -1)?.values() ?? [])];
    return names.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
  }

  newDirectory(): number {
    const id = this.#directories.size;
    this.#directories.set(id, new Map());
    return id;
  }

  put(directory: number | undefined, entry: NewEntry): void {
    this.#directories.get(directory!)!.set(entry.name, entry);
  }

  move(directory: number | undefined, known: KnownEntry, place: number): void {
    this.#directories.get(directory!)!.set(known.name, { ...known, place });
  }

  remove(directory: number | undefined, known: KnownEntry): void {
    this.#directories.get(directory!)!.delete(known.name);
  }

  take({ directory, name, stat, place }: FoundFile): void {
    this.#directories.get(directory!)!.set(name, { name, kind: FILE, stat, child: null, place });
  }

  /** The places of all files, by path. */
  files(directory = 0, prefix = ''): Map<string, number> {
    const files = new Map<string, number>();
    for (const { name, kind, child, place } of this.children(directory)) {
      const path = prefix === '' ? name : `${prefix}/${name}`;
      if (kind === FILE) files.set(path, place);
      else if (child !== null) for (const [inner, at] of this.files(child, path)) files.set(inner, at);
    }
    return files;
  }
}

const PATHS = ['a', 'd/a', 'd/e/b', 'nas/a', 'nas/d/a', 'nas/d/b', 'nas/in/a', 'nas/in/d/b', 'other/a', 'other/d/b'];
const POINTS = ['nas', 'nas/in', 'other'] as const;
const DISKS = ['red', 'blue', 'green'] as const;
type Point = (typeof POINTS)[number];
type Disk = (typeof DISKS)[number];

/** Folders that take the places of others, as disks do. */
class World implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'holdfast-unseen-'));
  readonly root = join(this.#folder, 'root');
  readonly #mounted = new Map<Point, Disk>();

  constructor() {
    for (const name of ['root', ...DISKS]) mkdirSync(join(this.#folder, name));
  }

  write(name: string, content: string): void {
    mkdirSync(dirname(join(this.root, name)), { recursive: true });
    writeFileSync(join(this.root, name), content);
  }

  /** Removes a file or folder in which nothing is mounted. */
  remove(name: string): void {
    if ([...this.#mounted.keys()].some((point) => point === name || point.startsWith(`${name}/`))) return;
    rmSync(join(this.root, name), { recursive: true, force: true });
  }

  mount(point: Point, disk: Disk): void {
    if (this.#mounted.has(point) || [...this.#mounted.values()].includes(disk)) return;
    if (POINTS.some((other) => other.startsWith(`${point}/`) && this.#mounted.has(other))) return;
    mkdirSync(join(this.root, point), { recursive: true });
    renameSync(join(this.root, point), this.#below(point));
    renameSync(join(this.#folder, disk), join(this.root, point));
    this.#mounted.set(point, disk);
  }

  unmount(point: Point): void {
    for (const inner of POINTS) if (inner.startsWith(`${point}/`)) this.unmount(inner);
    const disk = this.#mounted.get(point);
    if (disk === undefined) return;
    renameSync(join(this.root, point), join(this.#folder, disk));
    renameSync(this.#below(point), join(this.root, point));
    this.#mounted.delete(point);
  }

  /** The place of a name now: of the disk on the deepest folder above it, or of the computer itself. */
  placeOf(name: string): number {
    const points = POINTS.filter(
      (point) => this.#mounted.has(point) && (name === point || name.startsWith(`${point}/`)),
    );
    const deepest = points.toSorted((a, b) => b.length - a.length)[0];
    if (deepest === undefined) return 256;
    return 256 * (DISKS.indexOf(this.#mounted.get(deepest)!) + 2) + deepest.split('/').length;
  }

  get places(): Places {
    const of = (path: string): Place => ({ number: this.placeOf(path.slice(this.root.length + 1)), isProven: true });
    const enter: Places['enter'] = (_parent, path, stat) => ({ place: of(path), stat });
    return { of, enter, isMountPoint: () => false } as unknown as Places;
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #below(point: Point): string {
    return join(this.#folder, `below ${point.replace('/', ' ')}`);
  }
}

/** Scans; ends after some steps if they are given, as a run does that is killed. */
function scan(
  world: World,
  catalog: MemoryCatalog,
  unreadable: string | undefined,
  steps = Number.MAX_SAFE_INTEGER,
): void {
  const { root, places } = world;
  const exclusion = new Exclusion([], [], []);
  const scanner = new Scanner(catalog, {
    exclusion,
    oneFileSystem: false,
    rehash: false,
    accepts: () => false,
    places,
  });
  using _fs = replacedFs(({ readdirSync }) => ({
    readdirSync: ((path: string, ...rest: []) => {
      if (unreadable !== undefined && path === join(root, unreadable)) throw systemError('EIO');
      return readdirSync(path, ...rest);
    }) as typeof readdirSync,
  }));
  scanner.addRoots(0, [checkRoot({ path: root, real: root }, undefined, { places, accepts: true })]);
  let files = scanner.step();
  for (let step = 0; files && step < steps; step += 1) {
    for (const file of files) catalog.take(file);
    files = scanner.step();
  }
}

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('write' as const), name: fc.constantFrom(...PATHS) }) },
  fc.record({ kind: fc.constant('remove' as const), name: fc.constantFrom(...PATHS, 'd', 'nas', 'nas/d', 'other') }),
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('mount' as const),
      point: fc.constantFrom(...POINTS),
      disk: fc.constantFrom(...DISKS),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('unmount' as const), point: fc.constantFrom(...POINTS) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('scan' as const),
      unreadable: fc.option(fc.constantFrom('d', 'd/e', 'nas', 'nas/d', 'other'), { nil: undefined, freq: 3 }),
      steps: fc.option(fc.nat(6), { nil: undefined, freq: 3 }),
    }),
  },
);

test('an entry is gone only if its folder was read where it was seen last, and then it is', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      using world = new World();
      const catalog = new MemoryCatalog();
      for (const [index, one] of steps.entries()) {
        if (one.kind === 'write') world.write(one.name, `${index}`.repeat(index % 5));
        else if (one.kind === 'remove') world.remove(one.name);
        else if (one.kind === 'mount') world.mount(one.point, one.disk);
        else if (one.kind === 'unmount') world.unmount(one.point);
        else {
          const before = catalog.files();
          scan(world, catalog, one.unreadable, one.steps);
          const after = catalog.files();
          const isRead = (name: string): boolean =>
            one.unreadable === undefined || !name.startsWith(`${one.unreadable}/`);
          for (const [path, place] of before) {
            const name = path.slice(world.root.length + 1);
            const isDeleted = isRead(name) && place === world.placeOf(name) && !existsSync(path);
            if (!after.has(path)) expect([name, isDeleted]).toEqual([name, true]);
            // What is below a disk that is missing is left out with it.
            const isOnDisk = place % 256 > 0 || !POINTS.some((point) => name.startsWith(`${point}/`));
            if (isDeleted && isOnDisk && one.steps === undefined)
              expect([name, after.has(path)]).toEqual([name, false]);
          }
          if (one.steps !== undefined) continue;
          for (const name of PATHS) {
            const path = join(world.root, name);
            const isOnDisk = world.placeOf(name) % 256 > 0 || !POINTS.some((point) => name.startsWith(`${point}/`));
            if (isRead(name) && isOnDisk && existsSync(path))
              expect([name, after.get(path)]).toEqual([name, world.placeOf(name)]);
          }
        }
      }
    }),
    { numRuns: 300 },
  );
});
