import { execFileSync, spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Workplace } from './workplace.ts';

const SCRIPT = join(import.meta.dirname, 'live_database.py');
const KEY_VALUES = join(import.meta.dirname, 'live_key_values.py');
const PYTHON = '/usr/bin/python3';

let workplace: Workplace;
beforeEach(async () => {
  workplace = new Workplace();
  await workplace.setUp();
});
let writer: ChildProcessByStdio<null, Readable, null> | undefined;
afterEach(async () => {
  await stopWriter();
  workplace[Symbol.dispose]();
});

async function startWriter(words: readonly string[]): Promise<void> {
  writer = spawn(PYTHON, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(writer.stdout, 'data');
}

async function stopWriter(): Promise<void> {
  if (!writer || writer.exitCode !== null || writer.signalCode !== null) return;
  const ended = once(writer, 'exit');
  writer.kill();
  await ended;
}

const hasModule = (module: string): boolean => spawnSync(PYTHON, ['-c', `import ${module}`]).status === 0;

describe.each([
  { kind: 'lmdb', module: 'lmdb', path: 'store/data.mdb' },
  { kind: 'lmdb', module: 'lmdb', path: 'alone.mdb' },
  { kind: 'lmdb-writemap', module: 'lmdb', path: 'store/data.mdb' },
  { kind: 'leveldb', module: 'plyvel', path: 'store/CURRENT' },
])('a store of keys and values that is written to, $kind in $path', ({ kind, module, path }) => {
  test.skipIf(!hasModule(module))('is sound in every restore point', async () => {
    const source = workplace.path('source');
    mkdirSync(source);
    await workplace.json(['set', 'add', 'all', source]);
    const store = path.replace(/\/.*/, '');
    await startWriter([KEY_VALUES, 'write', kind, join(source, store)]);
    const rows: number[] = [];
    for (let number = 0; number < 4; number += 1) {
      const { warnings, notes } = await workplace.json(['backup', 'all']);
      expect({ warnings, notes }).toEqual({ warnings: [], notes: [] });
      await workplace.json(['restore', 'all', '--to', workplace.path('restored')]);
      const result = execFileSync(PYTHON, [KEY_VALUES, 'check', kind, workplace.path(`restored/source/${store}`)], {
        encoding: 'utf8',
      });
      expect(result).toMatch(/^\d+\n$/);
      rows.push(Number(result));
      rmSync(workplace.path('restored'), { recursive: true });
    }
    await stopWriter();
    expect(rows).toEqual([...new Set(rows)].sort((one, other) => one - other));
    // A store that rests is as it was left, and nothing of what a program has cleared away stays.
    await workplace.json(['backup', 'all']);
    await workplace.json(['restore', 'all', '--to', workplace.path('restored')]);
    const locks = ['lock.mdb', 'alone.mdb-lock'];
    const names = (folder: string): string[] =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => !locks.some((lock) => name.endsWith(lock)))
        .sort();
    expect(names(workplace.path('restored/source'))).toEqual(names(source));
    expect(readdirSync(workplace.path('restored/source'), { recursive: true })).not.toContain('store/lock.mdb');
    const checked = (at: string): string =>
      execFileSync(PYTHON, [KEY_VALUES, 'check', kind, join(at, store)], { encoding: 'utf8' });
    expect(checked(workplace.path('restored/source'))).toBe(checked(source));
  });
});

describe('a database that is written to', () => {
  test.each(['wal', 'delete', 'truncate', 'persist'])(
    'is sound in every restore point, with the journal mode %s',
    async (mode) => {
      const source = workplace.path('source');
      mkdirSync(source);
      await workplace.json(['set', 'add', 'all', source]);
      await startWriter([SCRIPT, 'write', join(source, 'app.db'), mode]);
      const rows: number[] = [];
      for (let number = 0; number < 4; number += 1) {
        await workplace.json(['backup', 'all']);
        await workplace.json(['restore', 'all', '--to', workplace.path('restored')]);
        const result = execFileSync('python3', [SCRIPT, 'check', workplace.path('restored/source/app.db')], {
          encoding: 'utf8',
        });
        expect(result).toMatch(/^\d+\n$/);
        rows.push(Number(result));
        rmSync(workplace.path('restored'), { recursive: true });
      }
      await stopWriter();
      // Each has what was written by then.
      expect(rows).toEqual([...new Set(rows)].sort((one, other) => one - other));
    },
  );
});
