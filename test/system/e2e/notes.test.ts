import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Workplace } from './workplace.ts';

let workplace: Workplace;
beforeEach(async () => {
  workplace = new Workplace();
  await workplace.setUp();
});
afterEach(() => workplace[Symbol.dispose]());

/** Writes to a file until it is killed. */
const WRITER = `
import sys, time
while True:
    open(sys.argv[1], "ab").write(b"record")
    print("written", flush=True)
    time.sleep(0.005)
`;

/** The file that is written to may be named in a warning. */
async function notesOfBackup(): Promise<unknown> {
  const { stdout } = await workplace.run('backup', 'all', '--json');
  return (JSON.parse(stdout) as { readonly notes: unknown }).notes;
}

test('the folder of a server that writes meanwhile is a note with the command that helps', async () => {
  const source = workplace.path('source');
  const data = join(source, 'main');
  mkdirSync(join(data, 'pg_wal'), { recursive: true });
  writeFileSync(join(data, 'PG_VERSION'), '15\n');
  await workplace.json(['set', 'add', 'all', source]);
  const writer = spawn('python3', ['-c', WRITER, join(data, 'pg_wal', '000000010000000000000001')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(writer.stdout, 'data');
    writer.stdout.resume();
    expect(await notesOfBackup()).toEqual([{ path: data, reason: 'database-postgresql' }]);
    const { stdout } = await workplace.run('backup', 'all');
    expect(stdout).toMatch(
      /\nNotes:\n {2}.*main: is the data folder of a PostgreSQL server.*set hooks NAME --before "pg_dumpall/,
    );
    await workplace.run('set', 'hooks', 'all', '--before', 'true');
    expect(await notesOfBackup()).toEqual([]);
  } finally {
    const ended = once(writer, 'exit');
    writer.kill();
    await ended;
  }
  const rested = await workplace.json(['backup', 'all']);
  expect(rested).toMatchObject({ warnings: [], notes: [] });
});
