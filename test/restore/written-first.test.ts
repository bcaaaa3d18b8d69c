import { linkSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isDocument } from '../../src/restore/plan/written-first.ts';
import { WorkerPool } from '../../src/workers/pool.ts';
import { RestoreWorld } from '../helpers/memory-service/restore-world.ts';
import { compareTrees } from '../helpers/tree/compare.ts';

const pool = new WorkerPool(2);
let world: RestoreWorld;
beforeEach(() => {
  // What is above the chosen folder says nothing about the documents in it.
  world = new RestoreWorld(pool, 'AppData/.hidden');
});
afterEach(() => world[Symbol.dispose]());
afterAll(() => pool.close());

const OLD = 1_500_000_000;
const NEW = 1_700_000_000;

function put(name: string, seconds: number, text = name): void {
  const path = join(world.source, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
  utimesSync(path, seconds, seconds);
}

/** More files than a restore writes in one part, none of which is a new document. */
function putBulk(): void {
  for (let number = 0; number < 1000; number += 1) put(`bulk/${number % 10}/${number}.bin`, NEW + 1000 + number);
  for (let number = 0; number < 300; number += 1) put(`documents/old/${number}.txt`, OLD + number);
}

const NEWEST = ['documents/letter.odt', 'z last/deep/er/plan.pdf', 'z last/photo.JPG'];

describe('restore of many files', () => {
  beforeEach(async () => {
    putBulk();
    for (const name of NEWEST) put(name, NEW);
    put('z last/.cache/page.html', NEW + 5000);
    linkSync(join(world.source, NEWEST[0]!), join(world.source, 'a second name.odt'));
    mkdirSync(join(world.source, 'z last/empty'));
    utimesSync(join(world.source, 'z last'), OLD, OLD);
    await world.backup();
  });

  test('fetches the newest documents before everything else', async () => {
    const { files } = world.service.points[0]!;
    const chunkOf = (name: string): string =>
      files.find(({ path, chunks }) => chunks.length > 0 && path === join(world.source, name))!.chunks[0]!;
    world.service.downloads.length = 0;
    const report = await world.restore();
    expect(report).toMatchObject({ filesRestored: 1305, failures: [], warnings: [] });
    expect(await compareTrees(world.source, join(world.target, 'source'))).toEqual([]);
    const order = (name: string): number => world.service.downloads.indexOf(chunkOf(name));
    // The tree comes first. The second name stands before the first one in the order of paths.
    const documents = ['a second name.odt', ...NEWEST.slice(1)].map(order);
    const others = files.filter(({ path }) => path.includes('/bulk/')).map(({ chunks }) => chunks[0]!);
    const firstOther = Math.min(...others.map((hash) => world.service.downloads.indexOf(hash)));
    for (const place of documents) expect(place).toBeLessThan(firstOther);
    expect(order('z last/.cache/page.html')).toBeGreaterThan(firstOther);
    // 200 files are written first, so not all of the old documents.
    const early = files.filter(
      ({ path, chunks }) => path.endsWith('.txt') && world.service.downloads.indexOf(chunks[0]!) < firstOther,
    );
    expect(early.length).toBe(197);
    expect(early.some(({ path }) => path.endsWith('/299.txt'))).toBe(true);
    expect(early.some(({ path }) => path.endsWith('/0.txt'))).toBe(false);
  });

  test('keeps to what was decided about each folder', async () => {
    const root = join(world.target, 'source');
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, 'documents'), 'a file in the place of a folder');
    mkdirSync(join(root, 'z last/deep/er'), { recursive: true });
    writeFileSync(join(root, 'z last/deep/er/plan.pdf'), 'mine');
    const report = await world.restore({ conflict: 'skip' });
    expect(report).toMatchObject({ failures: [], filesSkipped: 302 });
    expect(readFileSync(join(root, 'documents'), 'utf8')).toBe('a file in the place of a folder');
    expect(readFileSync(join(root, 'z last/deep/er/plan.pdf'), 'utf8')).toBe('mine');
    expect(readFileSync(join(root, 'z last/photo.JPG'), 'utf8')).toBe('z last/photo.JPG');
    expect(readdirSync(join(root, 'bulk/3')).length).toBe(100);
  });

  test('resumes when it was interrupted, and writes nothing twice', async () => {
    const interruption = new AbortController();
    let calls = 0;
    world.service.beforeDownload = () => {
      calls += 1;
      if (calls === 4) interruption.abort();
    };
    await expect(world.restore({}, { signal: interruption.signal })).rejects.toMatchObject({ code: 'interrupted' });
    world.service.beforeDownload = undefined;
    const times = new Map(
      readdirSync(join(world.target, 'source'), { recursive: true, encoding: 'utf8' }).map((name) => {
        const { ino } = statSync(join(world.target, 'source', name));
        return [name, ino];
      }),
    );
    const report = await world.restore();
    expect(report).toMatchObject({ failures: [], filesRestored: 1305 });
    for (const name of NEWEST) {
      const before = times.get(name);
      if (before !== undefined) expect(statSync(join(world.target, 'source', name)).ino).toBe(before);
    }
    expect(await compareTrees(world.source, join(world.target, 'source'))).toEqual([]);
  });
});

describe('a document', () => {
  const HOME = ['/home/anna', 'C:/Users/anna'];

  test.each([
    ['/home/anna/letter.odt', true],
    ['/home/anna/Photos/IMG_1.HEIC', true],
    ['/home/anna/notes', false],
    ['/home/anna/.config/app/page.html', false],
    ['/home/anna/site/node_modules/x/README.md', false],
    ['C:/Users/anna/AppData/Local/x.txt', false],
    ['/home/anna/Library/Preferences/x.txt', false],
    ['/home/anna/Library/Mobile Documents/com~apple~CloudDocs/letter.pages', true],
    ['/home/anna/Library/CloudStorage/OneDrive/letter.docx', true],
    ['/home/anna/Library/CloudStorage/OneDrive/.cache/letter.docx', false],
    ['/home/anna/movie.mkv', false],
  ])('%s: %s', (path, expected) => {
    expect(isDocument(path, HOME)).toBe(expected);
  });

  test.each([
    ['/home/anna/.notes/letter.md', ['/home/anna/.notes'], true],
    ['/home/anna/.notes/.git/letter.md', ['/home/anna/.notes'], false],
    ['/home/anna/.notes/letter.md', ['/home/anna/.no'], false],
    ['/home/anna/.notes/letter.md', ['/home/anna', '/home/anna/.notes'], true],
    ['C:/Users/anna/AppData/Local/Packages/notes/x.txt', ['C:/Users/anna/AppData/Local/Packages/notes'], true],
    ['/home/anna/.letter/today.md', ['/home/anna/.letter/today.md'], true],
    ['/home/.x/a.txt', ['/'], false],
  ])('%s, if %j was chosen: %s', (path, chosen, expected) => {
    expect(isDocument(path, chosen)).toBe(expected);
  });
});
