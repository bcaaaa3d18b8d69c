import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Workplace } from './workplace.ts';

const PYTHON = '/usr/bin/python3';
const SCRIPT = join(import.meta.dirname, 'database_versions.py');

let workplace: Workplace;
let source: string;
let database: string;
beforeEach(async () => {
  workplace = new Workplace();
  await workplace.setUp();
  source = workplace.path('source');
  database = join(source, 'app.db');
  mkdirSync(source);
  await workplace.json(['set', 'add', 'all', source]);
});
afterEach(() => workplace[Symbol.dispose]());

function python(...words: readonly string[]): string {
  return execFileSync('python3', [SCRIPT, ...words], { encoding: 'utf8' }).trim();
}

/** Reads a copy: SQLite changes what it opens. */
function rowsOf(path: string): string {
  const copy = workplace.path('copy.db');
  for (const suffix of ['', '-wal', '-journal', '-shm']) {
    rmSync(copy + suffix, { force: true });
    if (existsSync(path + suffix)) copyFileSync(path + suffix, copy + suffix);
  }
  return python('rows', copy);
}

interface Restored {
  readonly conflicts: readonly string[];
  readonly kept_in?: readonly string[];
  readonly notes: readonly string[];
}

describe('a log of another version beside a database that is restored', () => {
  // Whether the second version has changed the database itself as well, or is in the log only.
  test.each([[], ['checkpoint']])('is moved aside in the original place, and comes back with undo', async (...more) => {
    python('first', database);
    await workplace.json(['backup', 'all']);
    python('second', database, ...more);
    expect(rowsOf(database)).toBe('ok second');

    const words = ['restore', 'all', '--in-place', '--conflict', 'overwrite', '--path', database];
    const preview = await workplace.json<Restored>([...words, '--dry-run']);
    expect(preview.conflicts).toContain(`${database}-wal`);
    expect(rowsOf(database)).toBe('ok second');

    const restored = await workplace.json<Restored>(words);
    expect(rowsOf(database)).toBe('ok first');
    expect(restored.conflicts).toContain(`${database}-wal`);
    expect(readdirSync(restored.kept_in![0]!)).toContain('app.db-wal');
    await workplace.json(['undo']);
    expect(rowsOf(database)).toBe('ok second');
  });

  test('stops a restore that nobody has decided about, and is left alone by one that skips', async () => {
    python('first', database);
    await workplace.json(['backup', 'all']);
    python('second', database);
    await workplace.json(['restore', 'all', '--in-place'], 1);
    expect(rowsOf(database)).toBe('ok second');
    await workplace.json(['restore', 'all', '--in-place', '--conflict', 'skip']);
    expect(rowsOf(database)).toBe('ok second');
    // Alone it would be applied to what is restored.
    rmSync(database);
    await workplace.json(['restore', 'all', '--in-place', '--conflict', 'skip']);
    expect(existsSync(database)).toBe(false);
    await workplace.json(['restore', 'all', '--in-place', '--conflict', 'overwrite']);
    expect(rowsOf(database)).toBe('ok first');
  });

  test('is moved aside in another folder, too', async () => {
    python('first', database);
    await workplace.json(['backup', 'all']);
    const to = workplace.path('to');
    await workplace.json(['restore', 'all', '--to', to]);
    python('second', join(to, 'source/app.db'), 'checkpoint');
    await workplace.json(['restore', 'all', '--to', to, '--conflict', 'overwrite']);
    expect(rowsOf(join(to, 'source/app.db'))).toBe('ok first');
    expect(readdirSync(to, { recursive: true }).filter((name) => String(name).endsWith('app.db-wal'))).toHaveLength(1);
  });

  test('gives a database that is kept beside the name that its log has', async () => {
    python('first', database);
    python('second', database);
    await workplace.json(['backup', 'all']);
    rmSync(`${database}-wal`);
    rmSync(`${database}-shm`);
    await workplace.json(['restore', 'all', '--in-place', '--conflict', 'keep-both']);
    const beside = readdirSync(source).find((name) => /restored .*\.db$/.test(name))!;
    expect(rowsOf(database)).toBe('ok first');
    expect(rowsOf(join(source, beside))).toBe('ok second');
  });
});

test('a database that is restored alone comes with its log', async () => {
  python('first', database);
  python('second', database);
  await workplace.json(['backup', 'all']);
  const to = workplace.path('to');
  const restored = await workplace.json<Restored>(['restore', 'all', '--to', to, '--path', database]);
  expect(restored.notes).toContain('with-database-logs');
  expect(rowsOf(join(to, 'app.db'))).toBe('ok second');
});

const HAS_LEVELDB = spawnSync(PYTHON, ['-c', 'import plyvel']).status === 0;

describe.skipIf(!HAS_LEVELDB)('a folder of LevelDB that has later logs and lists', () => {
  const STORE = join(import.meta.dirname, 'live_key_values.py');
  const keyValues = (...words: readonly string[]): string =>
    execFileSync(PYTHON, [STORE, ...words], { encoding: 'utf8' }).trim();
  let store: string;
  /** Counts the entries in a copy: LevelDB changes what it opens. */
  const entriesIn = (path: string): string => {
    const copy = workplace.path('copy');
    rmSync(copy, { recursive: true, force: true });
    cpSync(path, copy, { recursive: true });
    return keyValues('check', 'leveldb', copy);
  };
  const partsOf = (path: string): readonly string[] => readdirSync(path).filter((name) => /^(MANIFEST|\d)/.test(name));
  beforeEach(async () => {
    store = join(source, 'store');
    keyValues('add', '1', '40', 'leveldb', store);
    // A folder with a file of this name only is no database.
    writeFileSync(join(source, 'CURRENT'), 'text');
    await workplace.json(['backup', 'all']);
    // Each opening begins another list and another log.
    keyValues('add', '41', '80', 'leveldb', store);
    writeFileSync(join(source, '000099.log'), 'of a person');
    expect(entriesIn(store)).toBe('80');
  });

  test('comes back as it was in the original place, and with undo as it is', async () => {
    const later = partsOf(store);
    const words = ['restore', 'all', '--in-place', '--conflict', 'overwrite', '--path', store];
    const preview = await workplace.json<Restored>([...words, '--dry-run']);
    expect(preview.conflicts.some((path) => /\d\.log$/.test(path))).toBe(true);
    expect(partsOf(store)).toEqual(later);

    const restored = await workplace.json<Restored>(words);
    expect(entriesIn(store)).toBe('40');
    expect(partsOf(store)).not.toEqual(later);
    expect(restored.kept_in).toHaveLength(1);
    await workplace.json(['undo']);
    expect(entriesIn(store)).toBe('80');
  });

  test('is whole where nothing but its later logs and lists is left, in any place', async () => {
    const to = workplace.path('to');
    await workplace.json(['restore', 'all', '--to', to]);
    const copy = join(to, 'source', 'store');
    rmSync(copy, { recursive: true });
    cpSync(store, copy, { recursive: true });
    rmSync(join(copy, 'CURRENT'));
    await workplace.json(['restore', 'all', '--to', to], 1);
    expect(existsSync(join(copy, 'CURRENT'))).toBe(false);
    await workplace.json(['restore', 'all', '--to', to, '--conflict', 'overwrite']);
    expect(entriesIn(copy)).toBe('40');
  });

  test('leaves files beside that belong to no database', async () => {
    await workplace.json(['restore', 'all', '--in-place', '--conflict', 'overwrite']);
    expect(entriesIn(store)).toBe('40');
    expect(existsSync(join(source, '000099.log'))).toBe(true);
  });
});
