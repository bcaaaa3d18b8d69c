import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { FolderSnapshot } from '../../helpers/folder-snapshot.ts';
import { Workplace, type BackupAnswer } from './workplace.ts';

const MINUTES = 60_000;

interface Match {
  readonly path: string;
  readonly from: string;
  readonly to: string;
  readonly type: string;
  readonly size: number;
  readonly versions: number;
  readonly deleted: boolean;
}

interface Incomplete {
  readonly unavailable: readonly { readonly name: string; readonly error: string }[];
  readonly damaged: readonly { readonly restore_point: string }[];
  readonly unread: number;
  readonly lost?: boolean;
}

interface FindAnswer {
  readonly matches: readonly Match[];
  readonly incomplete?: Incomplete;
}

interface VersionsAnswer {
  readonly versions: readonly {
    readonly from: string;
    readonly to: string;
    readonly type: string;
    readonly size: number;
  }[];
  readonly incomplete?: Incomplete;
}

interface DiffAnswer {
  readonly changes: readonly { readonly path: string; readonly change: string }[];
}

/** What was on the disk at a restore point, as Python saw it: paths to kind, size and the hash of the content. */
interface Observed {
  readonly point: string;
  readonly entries: ReadonlyMap<string, string>;
}

let workplace: Workplace;
let source: string;
/** The workplace after the set-up. */
let initial: FolderSnapshot;
/** The workplace with the restore points of `makeHistory`. */
let made: { readonly points: readonly Observed[]; readonly folder: FolderSnapshot } | undefined;

beforeAll(async () => {
  workplace = new Workplace();
  source = workplace.path('source');
  mkdirSync(source);
  await workplace.setUp();
  await workplace.addSet('documents', source);
  initial = new FolderSnapshot(workplace.folder);
});
beforeEach(() => initial.restore());
afterAll(() => {
  workplace[Symbol.dispose]();
  initial[Symbol.dispose]();
  made?.folder[Symbol.dispose]();
});

/** What is at a path and below, each as `kind size digest or target`. */
function observe(path: string): readonly (readonly [path: string, found: string])[] {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return [[path, `symlink 0 ${readlinkSync(path)}`]];
  if (stat.isDirectory())
    return [[path, 'directory 0 '], ...readdirSync(path).flatMap((name) => observe(join(path, name)))];
  const content = readFileSync(path);
  return [[path, `file ${content.length} ${createHash('sha256').update(content).digest('hex')}`]];
}

async function backUp(...words: readonly string[]): Promise<Observed> {
  const entries = new Map(observe(source));
  const { restore_point: point } = await workplace.json<BackupAnswer>(['backup', 'documents', ...words]);
  return { point, entries };
}

const find = (pattern: string, ...words: readonly string[]): Promise<FindAnswer> =>
  workplace.json<FindAnswer>(['find', 'documents', pattern, ...words]);

/** The matches that follow from what was observed, like `path from to`. */
function expectedMatches(points: readonly Observed[], isMatch: (path: string) => boolean): readonly string[] {
  const matches: string[] = [];
  const paths = new Set(points.flatMap(({ entries }) => [...entries.keys()]));
  for (const path of [...paths].filter(isMatch)) {
    let from: string | undefined;
    points.forEach(({ point, entries }, index) => {
      if (entries.has(path)) from ??= point;
      const isEnd = from !== undefined && !(points[index + 1]?.entries.has(path) ?? false);
      if (isEnd) matches.push(`${path} ${from} ${point}`);
      if (isEnd) from = undefined;
    });
  }
  return matches.toSorted();
}

function shown({ matches }: FindAnswer): readonly string[] {
  return matches.map(({ path, from, to }) => `${path} ${from} ${to}`).toSorted();
}

/** With control characters, which Windows allows in no name. */
const NEW =
  process.platform === 'win32'
    ? { name: 'new name', printed: 'new name' }
    : { name: 'new\n\u001b[31mname', printed: '\\u{1b}[31mname' };

/** Five restore points of files that come, go, change and come back. */
async function makeHistory(): Promise<readonly Observed[]> {
  const at = (...names: readonly string[]): string => join(source, ...names);
  const points: Observed[] = [];
  mkdirSync(at('Briefe'));
  writeFileSync(at('Briefe', 'Straße.odt'), 'one');
  writeFileSync(at('Briefe', 'cafe\u0301.txt'), 'decomposed');
  writeFileSync(at('report.docx'), 'first');
  points.push(await backUp());
  rmSync(at('report.docx'));
  writeFileSync(at('Briefe', 'Straße.odt'), 'two, longer');
  points.push(await backUp());
  writeFileSync(at('report.docx'), 'first');
  mkdirSync(at('many'));
  for (let index = 0; index < 300; index += 1) writeFileSync(at('many', `report ${index}.txt`), `number ${index}`);
  points.push(await backUp());
  rmSync(at('Briefe'), { recursive: true });
  writeFileSync(at('Briefe'), 'a file now');
  points.push(await backUp());
  rmSync(at('many', 'report 7.txt'));
  writeFileSync(at(NEW.name), 'x');
  points.push(await backUp());
  return points;
}

/** Puts the workplace after `makeHistory` in place, which the first test that needs it runs. */
async function withHistory(): Promise<readonly Observed[]> {
  if (made) made.folder.restore();
  else made = { points: await makeHistory(), folder: new FolderSnapshot(workplace.folder) };
  return made.points;
}

describe('find', () => {
  test(
    'lists what was on the disk at any restore point, with its first and its last',
    { timeout: 3 * MINUTES },
    async () => {
      const points = await withHistory();
      const has = (text: string) => (path: string) => path.slice(path.lastIndexOf('/')).includes(text);
      const all = await find('');
      expect(shown(all)).toEqual(expectedMatches(points, () => true));
      expect(all.incomplete).toBeUndefined();
      expect(shown(await find('REPORT'))).toEqual(expectedMatches(points, has('report')));
      expect(shown(await find('*.docx'))).toEqual(expectedMatches(points, has('.docx')));
      expect(shown(await find('strasse'))).toEqual(expectedMatches(points, has('Straße')));
      expect(shown(await find('CAFÉ'))).toEqual(expectedMatches(points, has('cafe\u0301')));
      expect(shown(await find('many/report 1*'))).toEqual(
        expectedMatches(points, (path) => path.includes('/many/report 1')),
      );
      expect(shown(await find('briefe', '--kind', 'file'))).toEqual([
        `${source}/Briefe ${points[3]!.point} ${points[4]!.point}`,
      ]);
      expect(shown(await find('', '--deleted'))).toEqual(
        expectedMatches(points, (path) => !points[4]!.entries.has(path)),
      );
      // Without any destination: the answer is the same.
      renameSync(workplace.destination, `${workplace.destination} is away`);
      expect(shown(await find('', '--local'))).toEqual(shown(all));
      const away = await workplace.json<FindAnswer>(['find', 'documents', ''], 3);
      expect(away.incomplete?.unavailable.map(({ name }) => name)).toEqual(['destination']);
      expect(shown(away)).toEqual(shown(all));
      const { status, stdout } = await workplace.run('find', 'documents', 'new', '--local');
      expect({ status, end: stdout.trimEnd().slice(-NEW.printed.length) }).toEqual({ status: 0, end: NEW.printed });
    },
  );

  test('selects by size and by time of change', async () => {
    writeFileSync(join(source, 'small'), 'x');
    writeFileSync(join(source, 'large'), 'x'.repeat(5000));
    const before = new Date('2020-01-01T00:00:00Z');
    utimesSync(join(source, 'small'), before, before);
    await backUp();
    const names = async (...words: readonly string[]): Promise<readonly string[]> =>
      (await find('', '--kind', 'file', ...words)).matches.map(({ path }) => path.slice(source.length));
    expect(await names('--larger', '4K')).toEqual(['/large']);
    expect(await names('--smaller', '4K')).toEqual(['/small']);
    expect(await names('--modified-before', '2021-01-01')).toEqual(['/small']);
    expect(await names('--modified-after', '2021-01-01')).toEqual(['/large']);
  });

  test('refuses a set that does not exist, and wrong filters', async () => {
    for (const words of [
      ['nope', 'x'],
      ['documents', 'x', '--larger', 'much'],
      ['documents', 'x', '--kind', 'socket'],
      ['documents'],
    ]) {
      const { status, stderr } = await workplace.run('find', ...words);
      expect({ words, status, isSilent: stderr === '' }).toEqual({ words, status: 2, isSilent: false });
    }
  });
});

describe('versions', () => {
  test('lists each content of a file with its restore points', { timeout: 3 * MINUTES }, async () => {
    const points = await withHistory();
    const versions = async (path: string): Promise<readonly string[]> => {
      const answer = await workplace.json<VersionsAnswer>(['versions', 'documents', path]);
      return answer.versions.map(({ from, to, type, size }) => `${from} ${to} ${type} ${size}`);
    };
    const times = points.map(({ point }) => point);
    expect(await versions(join(source, 'Briefe', 'Straße.odt'))).toEqual([
      `${times[1]} ${times[2]} file 11`,
      `${times[0]} ${times[0]} file 3`,
    ]);
    const ofFile = (await versions(join(source, 'Briefe'))).filter((version) => version.includes(' file '));
    expect(ofFile).toEqual([`${times[3]} ${times[4]} file 10`]);
    expect((await workplace.run('versions', 'documents', join(source, 'never'))).status).toBe(2);
  });
});

describe('diff', () => {
  test('lists the differences of two restore points', { timeout: 3 * MINUTES }, async () => {
    const points = await withHistory();
    for (const [from, to] of [
      [0, 1],
      [1, 2],
      [0, 4],
      [3, 4],
      [3, 1],
    ] as const) {
      const [one, other] = [points[from]!, points[to]!];
      const words = ['diff', 'documents', '--from', one.point, '--to', other.point];
      const { changes } = await workplace.json<DiffAnswer>(words);
      const expected = new Set([...one.entries.keys(), ...other.entries.keys()])
        .values()
        .filter((path) => one.entries.get(path) !== other.entries.get(path))
        .map(
          (path) => `${one.entries.has(path) ? (other.entries.has(path) ? 'changed' : 'removed') : 'added'} ${path}`,
        );
      // The times of folders, which Python was not asked for, change as well, and those of files that were written again.
      const isListed = ({ path }: { readonly path: string }): boolean =>
        one.entries.get(path) !== other.entries.get(path);
      const listed = changes.filter(isListed).map(({ path, change }) => `${change} ${path}`);
      expect(listed.toSorted()).toEqual([...expected].toSorted());
      expect(changes.filter((change) => !isListed(change)).every(({ change }) => change === 'changed')).toBe(true);
    }
    const { changes } = await workplace.json<DiffAnswer>(['diff', 'documents']);
    expect(changes.map(({ path }) => path)).toContain(join(source, 'many', 'report 7.txt'));
  });

  test('says what it lacks when there is nothing to compare', { timeout: MINUTES }, async () => {
    using place = new Workplace();
    writeFileSync(place.write('a.txt', 'a'), 'a');
    await place.json(['setup', '--destination', place.destination]);
    await place.addSet('documents', place.path('a.txt'));
    const { restore_point: only } = await place.json<BackupAnswer>(['backup', 'documents']);
    const messageOf = async (...words: string[]): Promise<unknown> => {
      const { status, stderr } = await place.run('diff', 'documents', ...words);
      return { status, message: stderr.split('\n')[0] };
    };
    expect(await messageOf()).toEqual({
      status: 2,
      message: `holdfast: No restore point before the one of ${only} is known here, so there is nothing to compare it with.`,
    });
    const none = {
      status: 2,
      message: 'holdfast: There is no restore point at or before 2020-01-01T00:00:00.000Z.',
    };
    expect(await messageOf('--from', '2020-01-01T00:00:00Z')).toEqual(none);
    expect(await messageOf('--to', '2020-01-01T00:00:00Z')).toEqual(none);
  });
});

describe('the history of files', () => {
  test('is filled by the runs themselves', { timeout: 3 * MINUTES }, async () => {
    await workplace.json(['destination', 'add', '--destination', workplace.path('second'), '--name', 'second']);
    const points = await makeHistory();
    for (const name of ['destination', 'second']) renameSync(workplace.path(name), workplace.path(`${name} is away`));
    const first = await find('', '--local', '--destination', 'destination');
    expect(first.incomplete).toBeUndefined();
    expect(shown(first)).toEqual(expectedMatches(points, () => true));
    const paths = ({ matches }: FindAnswer): readonly string[] => matches.map(({ path }) => path).toSorted();
    expect(paths(await find('', '--local', '--destination', 'second'))).toEqual(paths(first));
  });

  test('of a damaged file is made anew', { timeout: 3 * MINUTES }, async () => {
    const points = await withHistory();
    const expected = expectedMatches(points, () => true);
    const file = join(workplace.home, 'history.sqlite');
    expect(shown(await find(''))).toEqual(expected);
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o077).toBe(0);
    const damages: readonly (() => void)[] = [
      () => rmSync(file),
      () => writeFileSync(file, 'this is no database at all'.repeat(400)),
      () => writeFileSync(file, ''),
      () => {
        // A bit of a name, which SQLite's own check does not find.
        const at = readFileSync(file).indexOf('report 123');
        const handle = openSync(file, 'r+');
        writeSync(handle, 'q', at);
        closeSync(handle);
      },
      () => {
        const handle = openSync(file, 'r+');
        writeSync(handle, Buffer.alloc(3000, 0xa5), 0, 3000, 9000);
        closeSync(handle);
      },
    ];
    for (const damage of damages) {
      for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true });
      damage();
      expect(shown(await find(''))).toEqual(expected);
    }
  });

  test('is incomplete while it is missing, or if an answer meets damage', { timeout: 3 * MINUTES }, async () => {
    const points = await withHistory();
    const expected = expectedMatches(points, () => true);
    expect(shown(await find(''))).toEqual(expected);
    const file = join(workplace.home, 'history.sqlite');
    const remove = (): void => {
      for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
    };
    const destroyRoot = (table: string): void => {
      const database = new Database(file);
      database.pragma('wal_checkpoint(TRUNCATE)');
      const page = database
        .prepare<[string], number>('SELECT rootpage FROM sqlite_schema WHERE name = ?')
        .pluck()
        .get(table)!;
      const size = Number(database.pragma('page_size', { simple: true }));
      database.close();
      const handle = openSync(file, 'r+');
      writeSync(handle, Buffer.alloc(size, 0xa5), 0, size, (page - 1) * size);
      closeSync(handle);
    };
    const damages = [remove, () => destroyRoot('version'), () => destroyRoot('source')];
    const questions = [
      ['find', 'documents', 'report'],
      ['versions', 'documents', join(source, 'report.docx')],
      ['diff', 'documents'],
    ];
    for (const [index, damage] of damages.entries()) {
      for (const words of questions) {
        expect(shown(await find(''))).toEqual(expected);
        damage();
        const { incomplete } = await workplace.json<FindAnswer>([...words, '--local'], 3);
        expect({ index, words, incomplete }).toMatchObject({ incomplete: { unread: 0, lost: true } });
        const { status, stderr } = await workplace.run(...words, '--local');
        expect({ status, stderr }).toMatchObject({ status: 3, stderr: expect.stringContaining('to rebuild it') });
      }
    }
    expect(await find('')).not.toHaveProperty('incomplete');
  });

  test('answers from what is known while another process fills it', { timeout: 3 * MINUTES }, async () => {
    const points = await withHistory();
    const other = new Database(join(workplace.home, 'history.sqlite'));
    other.exec('BEGIN IMMEDIATE');
    const answer = await workplace.json<FindAnswer>(['find', 'documents', ''], 3);
    expect(answer.incomplete?.unavailable).toMatchObject([{ name: 'destination', error: 'home_busy' }]);
    expect(shown(answer)).toEqual(expectedMatches(points, () => true));
    const { status, stderr } = await workplace.run('diff', 'documents');
    expect({ status, stderr }).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('Another program is filling the history'),
    });
    other.close();
    expect(await find('')).not.toHaveProperty('incomplete');
  });

  test('forgets restore points that were removed', { timeout: 3 * MINUTES }, async () => {
    const points = await withHistory();
    await find('');
    await workplace.json(['points', 'remove', 'documents', points[1]!.point, '--yes']);
    const left = points.filter((point) => point !== points[1]);
    expect(shown(await find(''))).toEqual(expectedMatches(left, () => true));
  });

  test('names a restore point that cannot be read, and has it after a repair', { timeout: 3 * MINUTES }, async () => {
    const points = await withHistory();
    rmSync(join(workplace.home, 'history.sqlite'), { force: true });
    // The two packs of the last run hold the end of its tree.
    const packs = readdirSync(join(workplace.destination, 'packs'), { recursive: true, encoding: 'utf8' })
      .map((name) => join('packs', name))
      .filter((name) => statSync(join(workplace.destination, name)).isFile())
      .toSorted(
        (a, b) => statSync(join(workplace.destination, b)).mtimeMs - statSync(join(workplace.destination, a)).mtimeMs,
      );
    const lost = packs.slice(0, 2).map((name) => join(workplace.destination, name));
    renameSync(lost[0]!, workplace.path('lost'));
    expect(shown(await find(''))).toEqual(expectedMatches(points, () => true));
    renameSync(lost[1]!, workplace.path('also lost'));
    rmSync(join(workplace.home, 'history.sqlite'));
    const answer = await workplace.json<FindAnswer>(['find', 'documents', ''], 3);
    expect(answer.incomplete?.damaged).toMatchObject([{ restore_point: points[4]!.point }]);
    expect(shown(answer)).toEqual(expectedMatches(points.slice(0, 4), () => true));
    renameSync(workplace.path('lost'), lost[0]!);
    renameSync(workplace.path('also lost'), lost[1]!);
    expect(shown(await find(''))).toEqual(expectedMatches(points, () => true));
  });

  test('unites several destinations', { timeout: 3 * MINUTES }, async () => {
    await workplace.json(['destination', 'add', '--destination', workplace.path('second'), '--name', 'second']);
    writeFileSync(join(source, 'in both'), 'x');
    writeFileSync(join(source, 'kept'), 'x');
    await backUp();
    rmSync(join(source, 'in both'));
    writeFileSync(join(source, 'only in second'), 'x');
    await backUp('--destination', 'second');
    rmSync(join(source, 'only in second'));
    await backUp();
    const names = async (...words: readonly string[]): Promise<readonly string[]> =>
      (await find('', '--kind', 'file', ...words)).matches.map(({ path }) => path.slice(source.length + 1)).toSorted();
    expect(await names()).toEqual(['in both', 'kept', 'only in second']);
    expect(await names('--destination', 'destination')).toEqual(['in both', 'kept']);
    expect(await names('--destination', 'second')).toEqual(['in both', 'kept', 'only in second']);
    expect(await names('--deleted')).toEqual(['in both', 'only in second']);
    await workplace.json(['destination', 'remove', 'second']);
    expect(await names()).toEqual(['in both', 'kept']);
  });

  test('of another computer is read from its backups', { timeout: 3 * MINUTES }, async () => {
    const points = await withHistory();
    const { devices } = await workplace.json<{ devices: { id: string; this_device: boolean }[] }>(['devices']);
    const phrase = JSON.parse((await workplace.run('key', 'export', '--json')).stdout) as { recovery_phrase: string };
    const file = workplace.write('phrase', phrase.recovery_phrase);
    const home = workplace.path('other home');
    const other = async (...words: readonly string[]): Promise<string> => {
      const { status, stdout, stderr } = await workplace.runAt(home, [...words, '--json']);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      return stdout;
    };
    await other('setup', '--destination', workplace.destination, '--recovery-phrase-file', file);
    const device = devices.find(({ this_device: isThis }) => isThis)!.id;
    const answer = JSON.parse(await other('find', 'documents', '', '--device', device)) as FindAnswer;
    expect(shown(answer)).toEqual(expectedMatches(points, () => true));
    expect(existsSync(join(home, 'history.sqlite'))).toBe(true);
  });
});
