import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { HomeLock } from '../../../src/agent/home/home-lock.ts';
import { homeAt } from '../../../src/agent/home/home.ts';
import { SmallDisk } from '../../helpers/small-disk.ts';
import { differences } from '../../helpers/differences.ts';
import { seededBytes } from '../../helpers/seeded-bytes.ts';
import { Workplace } from './workplace.ts';

/** Six backups of six megabytes do not fit. */
const SIZE = '30m';
const FILE_BYTES = 6_000_000;
const BLOCK = 4096;

interface Freed {
  readonly destination: string;
  readonly now_bytes: number;
  readonly freed_bytes: number;
  readonly reserve_bytes: number;
  readonly is_full: boolean;
  readonly sole_writer: boolean;
  readonly other_computers: readonly string[];
  readonly later: readonly {
    readonly at: string;
    readonly bytes: number;
    readonly because: string;
    readonly waits_for: readonly string[];
  }[];
  readonly stopped_by: string | null;
}

const DAY = 24 * 3600;
const canMount = process.getuid?.() === 0 && mountsHere();

function mountsHere(): boolean {
  using place = new Workplace();
  using disk = SmallDisk.mount(place.path('disk'), '1m');
  return disk !== undefined;
}

// A disk of its own needs root.
describe.skipIf(!canMount)('a destination of 30 MB that is full at the sixth backup', () => {
  let place: Workplace;
  let disk: SmallDisk;
  let destination: string;
  let source: string;
  let runs = 0;
  beforeEach(async () => {
    place = new Workplace();
    disk = SmallDisk.mount(place.path('disk'), SIZE)!;
    destination = join(disk.folder, 'backups');
    source = place.path('source');
    await place.json(['setup', '--destination', destination]);
    mkdirSync(source);
    await place.addSet('documents', source);
    for (let run = 1; run <= 5; run += 1) expect((await backUp()).status).toBe(0);
    return () => {
      disk[Symbol.dispose]();
      place[Symbol.dispose]();
    };
  });

  const free = (): number => {
    const { bavail, bsize } = statfsSync(disk.folder);
    return bavail * bsize;
  };

  async function backUp(bytes = FILE_BYTES) {
    runs += 1;
    writeFileSync(join(source, 'file'), seededBytes(bytes, String(runs)));
    return await place.run('backup', 'documents');
  }

  async function points(): Promise<readonly string[]> {
    const listed = await place.json<{ points: readonly { restore_point: string }[] }>(['points', 'documents']);
    return listed.points.map(({ restore_point: time }) => time);
  }

  async function removeOldest(): Promise<string> {
    const oldest = (await points()).at(-1)!;
    const ended = await place.run('points', 'remove', 'documents', oldest, '--yes');
    expect(ended).toMatchObject({ status: 0, stderr: '' });
    return ended.stdout;
  }

  /** Makes all files older, as if days had passed by the store's clock. */
  function age(days: number): void {
    for (const name of readdirSync(destination, { recursive: true, encoding: 'utf8' })) {
      const path = join(destination, name);
      if (!statSync(path).isFile()) continue;
      const seconds = statSync(path).mtimeMs / 1000 - days * DAY;
      utimesSync(path, seconds, seconds);
    }
  }

  async function expectRestores(): Promise<void> {
    const target = place.path(`target-${runs}`);
    expect((await place.run('restore', 'documents', '--to', target)).status).toBe(0);
    expect(differences(source, join(target, 'source'))).toBe('');
    expect((await place.run('check', '--read-data')).status).toBe(0);
  }

  test('says which command frees space, which frees what it has promised, and backups go on', async () => {
    const failed = await backUp();
    expect(failed.status).toBe(1);
    expect(failed.stderr).toContain('holdfast free');
    expect((await place.run('status')).stdout).toContain('is full. Free what nobody needs with: holdfast free');
    const removed = await removeOldest();
    expect(removed).toMatch(/Frees about 6\.00 MB after .*\n.*holdfast free\n$/);
    const before = free();
    const plan = await place.json<Freed>(['free', '--dry-run']);
    expect(free()).toBe(before);
    expect(plan).toMatchObject({
      destination: 'backups',
      sole_writer: true,
      other_computers: [],
      later: [],
      stopped_by: null,
    });
    expect(plan.now_bytes).toBeGreaterThan(0.99 * FILE_BYTES);
    const freed = await place.json<Freed>(['free', '--yes']);
    expect(freed).toMatchObject({ freed_bytes: plan.now_bytes, is_full: false });
    // Blocks of the files that went, and of the facts.
    expect(Math.abs(free() - before - freed.freed_bytes)).toBeLessThan(5 * BLOCK);
    expect((await backUp()).status).toBe(0);
    await expectRestores();
  });

  test('with no byte left lets restore points be removed, and frees their space', async () => {
    disk.fill();
    expect(free()).toBe(0);
    await removeOldest();
    await removeOldest();
    const before = free();
    const plan = await place.json<Freed>(['free', '--dry-run']);
    expect(plan.reserve_bytes).toBeGreaterThan(0);
    const freed = await place.json<Freed>(['free', '--yes']);
    expect(freed).toMatchObject({ freed_bytes: plan.now_bytes, reserve_bytes: plan.reserve_bytes });
    expect(freed.freed_bytes + freed.reserve_bytes).toBeGreaterThan(1.99 * FILE_BYTES);
    expect(Math.abs(free() - before - freed.freed_bytes)).toBeLessThan(5 * BLOCK);
    expect(existsSync(join(destination, 'reserve', 'space'))).toBe(true);
    expect((await backUp()).status).toBe(0);
    await expectRestores();
  });

  test('frees by itself what was removed days ago, also when every backup fails', async () => {
    expect((await backUp()).status).toBe(1);
    await removeOldest();
    age(4);
    expect((await backUp()).status).toBe(1);
    expect((await backUp()).status).toBe(0);
    await expectRestores();
  });

  test('frees by itself what was removed days ago when a policy is applied that removes nothing', async () => {
    expect((await backUp()).status).toBe(1);
    await removeOldest();
    age(4);
    const before = free();
    expect((await place.run('retention', 'apply', 'documents', '--yes')).status).toBe(0);
    expect(free() - before).toBeGreaterThan(0.99 * FILE_BYTES - 5 * BLOCK);
  });

  test('frees what a backup has stored that found no room, having said so', async () => {
    for (let removed = 0; removed < 3; removed += 1) await removeOldest();
    await place.json(['free', '--yes']);
    // Two packs, of which one fits. Both find no room if they are written at the same moment.
    writeFileSync(join(source, 'large'), seededBytes(20_500_000, 'large'));
    const failedRun = async () => {
      expect((await place.run('backup', 'documents')).status).toBe(1);
      return await place.json<Freed & { interrupted_bytes: number }>(['free', '--dry-run']);
    };
    let plan = await failedRun();
    for (let tries = 0; tries < 5 && plan.interrupted_bytes === 0; tries += 1) plan = await failedRun();
    expect(plan.interrupted_bytes).toBeGreaterThan(1_000_000);
    const before = free();
    const asked = await place.run('free');
    expect(asked).toMatchObject({ status: 2, stdout: '' });
    expect(asked.stderr).toContain('the next one begins anew');
    expect(await place.json(['free', '--yes'])).toMatchObject({ freed_bytes: plan.now_bytes });
    expect(Math.abs(free() - before - plan.now_bytes)).toBeLessThan(5 * BLOCK);
    rmSync(join(source, 'large'));
    expect((await backUp()).status).toBe(0);
    await expectRestores();
  });

  test('frees nothing at once when another computer backs up there, and says when it will', async () => {
    const phrase = (await place.json<{ recovery_phrase: string }>(['key', 'export'])).recovery_phrase;
    const home = place.path('other');
    const file = place.write('phrase', phrase);
    const set = (words: readonly string[]) => place.runAt(home, words);
    expect((await set(['setup', '--destination', destination, '--recovery-phrase-file', file, '--json'])).status).toBe(
      0,
    );
    writeFileSync(place.path('small'), 'small');
    await set(['set', 'add', 'other', place.path('small')]);
    // Reading leaves nothing behind: this home is still the only one that ever wrote.
    expect(await place.json<Freed>(['free', '--dry-run'])).toMatchObject({ sole_writer: true });
    expect((await set(['backup', 'other'])).status).toBe(0);
    const removed = await removeOldest();
    expect(removed).toMatch(/until then other computers may count on it/);
    expect(removed).not.toContain('holdfast free');
    const before = free();
    const freed = await place.json<Freed>(['free', '--yes']);
    expect(freed).toMatchObject({ freed_bytes: 0, sole_writer: false, later: [{ because: 'others' }] });
    expect(Math.abs(free() - before)).toBeLessThan(5 * BLOCK);
    const [later] = freed.later;
    expect(later!.bytes).toBeGreaterThan(0.99 * FILE_BYTES);
    expect(Date.parse(later!.at) - Date.now()).toBeGreaterThan(2.9 * 86_400_000);
    expect((await place.run('free', '--yes')).stdout).toMatch(/will be freed after .* has backed up there again/);
  });

  test('frees nothing while a backup of this home is under way', async () => {
    using _lock = HomeLock.acquire(homeAt(place.home), 'backup documents', Date.now());
    expect((await place.run('free', '--yes')).status).toBe(5);
  });
});
