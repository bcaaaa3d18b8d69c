import { closeSync, fstatSync, ftruncateSync, openSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BackupResult } from '../../../src/agent/operations/backup/backup-result.ts';
import { Catalog } from '../../../src/catalog/catalog.ts';
import { Random } from '../../helpers/random.ts';
import { HandlerFixture } from '../../unit/agent/host/handler-fixture.ts';
import { orThorough } from '../../helpers/thorough.ts';
import { keepThreads } from '../../helpers/kept-threads.ts';

keepThreads();

let fixture: HandlerFixture;
const files = new Map<string, string>();

beforeEach(async () => {
  fixture = new HandlerFixture();
  files.clear();
  await fixture.agent.setup({
    destination: { kind: 'folder', directory: fixture.path('backups') },
    deviceName: 'laptop',
  });
  // One folder has several blocks.
  for (let number = 0; number < 150; number += 1) write(`many/file-${number}`, `content ${number}`);
  for (let number = 0; number < 20; number += 1) write(`few-${number % 4}/deep/${number}`, `another ${number}`);
  const roots = [fixture.path('docs')];
  await fixture.agent.addSet({
    form: { name: 'docs', roots, excludes: [], oneFileSystem: false, privateNames: false },
  });
  await backup();
});
afterEach(() => fixture.close());

function write(name: string, content: string): void {
  fixture.write(`docs/${name}`, content);
  files.set(name, content);
}

function backup(): Promise<BackupResult> {
  return fixture.agent.backup({ set: 'docs' }, {});
}

/** Restores the newest restore point, and compares it with what was written. */
async function expectRestorable(): Promise<void> {
  const to = fixture.path('restored');
  rmSync(to, { recursive: true, force: true });
  await fixture.agent.restore({ set: 'docs', at: 'latest', paths: [], to }, {});
  const wrong = [...files].filter(([name, content]) => {
    try {
      return readFileSync(`${to}/docs/${name}`, 'utf8') !== content;
    } catch {
      return true;
    }
  });
  expect(wrong).toEqual([]);
}

function reasons({ warnings }: BackupResult): readonly string[] {
  return warnings.map(({ reason }) => reason);
}

/** Changes the catalog as SQL does, without its sums. */
function damage(sql: string): void {
  const database = new Database(fixture.home.catalogFile);
  database.exec(sql);
  database.close();
}

describe('a damaged catalog', () => {
  test(
    'never makes a restore point wrong, and does not stop backups, whatever is damaged',
    { timeout: 600_000 },
    async () => {
      const seeds = Number(process.env['HOLDFAST_DAMAGES'] ?? orThorough(8, 24));
      for (let seed = 0; seed < seeds; seed += 1) {
        damageRandomly(seed);
        write(`few-1/new-${seed % 5}`, `version ${seed}`);
        await backup().catch((error: unknown) => {
          throw new Error(`seed ${seed}`, { cause: error });
        });
        await expectRestorable();
      }
    },
  );

  test.each([
    ['a folder', "UPDATE directory SET name = 'other' WHERE name = 'many'"],
    ['a block', 'UPDATE block SET entries = zeroblob(length(entries))'],
    ['a block that is missing', 'DELETE FROM block'],
    ['a folder that is missing', "PRAGMA foreign_keys = OFF; DELETE FROM directory WHERE name = 'many'"],
    ['a set', 'UPDATE backup_set SET roots = roots + 1'],
    ['a piece', 'UPDATE tree_piece SET files = files + 1'],
    ['a tree', "UPDATE committed_tree SET tree_hash = 'f'"],
    ['a root', "UPDATE root SET real = '/elsewhere'"],
    ['a tree seen', 'UPDATE tree_seen SET sequence = 999'],
    ['a restore point', 'UPDATE restore_point SET files = 9'],
    ['a job', "UPDATE job SET report = '{'"],
    ['a table', 'DROP TABLE root'],
  ])('is made anew with one warning: %s', async (_what, sql) => {
    damage(sql);
    expect(reasons(await backup())).toContain('index-made-anew');
    expect(reasons(await backup())).toEqual([]);
    await expectRestorable();
  });

  test('is kept beside the new one', async () => {
    damage("UPDATE root SET real = '/elsewhere'");
    const before = readFileSync(fixture.home.catalogFile);
    await fixture.agent.points({ set: 'docs' });
    expect(readFileSync(`${fixture.home.catalogFile}.damaged`).equals(before)).toBe(true);
  });

  test('keeps the jobs that are sound, and reports that others are lost', async () => {
    const kept = new Catalog(fixture.home.catalogFile);
    const job = { kind: 'restore', backupSet: 'docs', destination: 'one', trigger: 'manual' } as const;
    const first = kept.journal.queue(job, 5);
    const second = kept.journal.queue(job, 6);
    kept.close();
    damage(`UPDATE job SET destination = 'two' WHERE id = ${first}`);
    using opened = new Catalog(fixture.home.catalogFile);
    expect(opened.journal.pendingRestores().map(({ id }) => id)).toEqual([second]);
    expect(opened.journal.transitions(second)).toHaveLength(1);
    expect(opened.takeWarnings().map(({ reason }) => reason)).toEqual(['index-made-anew', 'index-lost-jobs']);
  });

  test('begins a run again when the damage is met in its middle', async () => {
    write('few-2/new', 'new');
    // A large file is not checked whenever it is opened.
    damage(`CREATE TABLE filler (bytes BLOB); INSERT INTO filler VALUES (zeroblob(5000000));
            INSERT INTO upkeep VALUES ('checked', ${Date.now()});
            UPDATE directory SET entries = zeroblob(length(entries)) WHERE name = 'many'`);
    expect(reasons(await backup())).toEqual(['index-made-anew']);
    expect(reasons(await backup())).toEqual([]);
    await expectRestorable();
  });
});

/** Flips bytes of the catalog's file, overwrites a sector, or cuts it. */
function damageRandomly(seed: number): void {
  const random = new Random(seed);
  const file = openSync(fixture.home.catalogFile, 'r+');
  const size = fstatSync(file).size;
  const overwrite = (at: number, bytes: Buffer): void => void writeSync(file, bytes, 0, bytes.length, at);
  const kind = seed % 8;
  if (kind < 4) {
    for (let left = 1 + random.below(8); left > 0; left -= 1) {
      const at = kind === 3 ? random.below(100) : random.below(size);
      const byte = Buffer.alloc(1);
      readSync(file, byte, 0, 1, at);
      overwrite(at, Buffer.from([byte[0]! ^ (1 << random.below(8))]));
    }
  } else if (kind === 4) overwrite(random.below(Math.floor(size / 512)) * 512, Buffer.alloc(512));
  else if (kind === 5) overwrite(random.below(Math.floor(size / 4096)) * 4096, Buffer.alloc(4096));
  else if (kind === 6) overwrite(random.below(Math.floor(size / 512)) * 512, random.bytes(512));
  else ftruncateSync(file, random.below(size));
  closeSync(file);
}
