import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Workplace } from './workplace.ts';

const SCRIPT = join(import.meta.dirname, 'live_database.py');

let workplace: Workplace;
beforeEach(async () => {
  workplace = new Workplace();
  await workplace.setUp();
});
afterEach(() => workplace[Symbol.dispose]());

describe('a database that is written to', () => {
  test.each(['wal', 'delete', 'truncate', 'persist'])(
    'is sound in every restore point, with the journal mode %s',
    async (mode) => {
      const source = workplace.path('source');
      mkdirSync(source);
      await workplace.json(['set', 'add', 'all', source]);
      const writer = spawn('python3', [SCRIPT, 'write', join(source, 'app.db'), mode], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(writer, 'exit');
      await once(writer.stdout, 'data');
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
      writer.kill();
      await ended;
      // Each has what was written by then.
      expect(rows).toEqual([...new Set(rows)].sort((one, other) => one - other));
    },
  );
});
