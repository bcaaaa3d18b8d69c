/**
 * `bin/node bench/live-databases.ts [--backups 5]`: backs up a database while a program writes to it, with Holdfast, restic and Borg in turns, restores each
 * backup, and counts those that are sound. SQLite is Python's own; LMDB and LevelDB need `apt-get install python3-lmdb python3-plyvel`.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { run } from './compare/measure.ts';
import { printTable } from './report/console-rows.ts';
import { borg } from './tools/borg.ts';
import { holdfast } from './tools/holdfast.ts';
import { restic } from './tools/restic.ts';
import type { Tool } from './tools/tool.ts';

const PYTHON = '/usr/bin/python3';
const SCRIPTS = join(import.meta.dirname, '../test/system/e2e');
const SQLITE = join(SCRIPTS, 'live_database.py');
const KEY_VALUES = join(SCRIPTS, 'live_key_values.py');

const { values } = parseArgs({ options: { backups: { type: 'string', default: '5' } } });
const backups = Number(values.backups);

interface Case {
  readonly label: string;
  readonly write: (path: string) => readonly string[];
  readonly check: (path: string) => readonly string[];
}

const CASES: readonly Case[] = [
  ...['wal', 'delete'].map((mode) => ({
    label: `SQLite, ${mode}`,
    write: (path: string) => [SQLITE, 'write', path, mode],
    check: (path: string) => [SQLITE, 'check', path],
  })),
  ...['lmdb', 'leveldb'].map((kind) => ({
    label: kind,
    write: (path: string) => [KEY_VALUES, 'write', kind, path],
    check: (path: string) => [KEY_VALUES, 'check', kind, path],
  })),
];

const tools = [holdfast, restic, borg].filter((tool) => tool.missing() === undefined);
const folder = mkdtempSync(join(tmpdir(), 'holdfast-live-'));
try {
  const rows: string[][] = [];
  for (const [index, each] of CASES.entries())
    rows.push([each.label, ...(await sound(each, join(folder, `${index}`)))]);
  printTable(['sound of the backups', ...tools.map((tool) => tool.version())], rows);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Returns how many backups of each tool are sound. */
async function sound({ write, check }: Case, place: string): Promise<string[]> {
  const source = join(place, 'source');
  mkdirSync(source, { recursive: true });
  const stores = await Promise.all(tools.map((tool) => opened(tool, join(place, tool.name), source)));
  const writer = spawn(PYTHON, write(join(source, 'store')), { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(writer, 'exit');
  try {
    await once(writer.stdout, 'data');
    const counts = tools.map(() => 0);
    for (let number = 0; number < backups; number += 1) {
      for (const [index, store] of stores.entries()) {
        // With another status where a file changed meanwhile, which each of them says.
        const { program, args, environment } = store.backup();
        spawnSync(program, args, { env: { ...process.env, ...environment }, stdio: 'ignore' });
        const to = join(place, `restored-${index}-${number}`);
        mkdirSync(to);
        await run(store.restore(to), to);
        const { stdout } = spawnSync(PYTHON, check(join(store.restored(to), 'store')), { encoding: 'utf8' });
        if (/^\d+\n$/.test(stdout)) counts[index] = counts[index]! + 1;
        rmSync(to, { recursive: true });
      }
    }
    return counts.map((count) => `${count} of ${backups}`);
  } finally {
    writer.kill();
    await ended;
    for (const store of stores) await store.close();
  }
}

async function opened(tool: Tool, place: string, source: string): ReturnType<Tool['open']> {
  mkdirSync(place);
  return await tool.open(place, source);
}
