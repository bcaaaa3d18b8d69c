import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import Database from 'better-sqlite3';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deriveKeys } from '../../../../src/format/crypto/keys.ts';
import { RecordSeal } from '../../../../src/restore/record/record-seal.ts';
import type { RecordedRestore } from '../../../../src/restore/record/recorded-forms.ts';
import { PlanStore } from '../../../../src/restore/record/plan-store.ts';
import { RestoreRecord } from '../../../../src/restore/record/restore-record.ts';
import { asideNameOf } from '../../../../src/restore/write/moved-aside.ts';
import { undoableRestore, undoRestore } from '../../../../src/restore/undo/undo-restore.ts';

const RESTORED = Date.parse('2026-11-21T14:05:33Z');
const SIDES = ['one', 'two', 'three'].map((name) => `${asideNameOf(RESTORED)}/${name}`);
const OWN = Buffer.alloc(32, 7);
const OTHER = Buffer.alloc(32, 8);

let folder: string;
let target: string;
let records: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-seal-'));
  [target, records] = [join(folder, 'own'), join(folder, 'records')];
  for (const path of [join(target, 'docs'), records, join(folder, 'scratch')]) mkdirSync(path, { recursive: true });
  for (const name of ['a', 'b']) writeFileSync(join(target, 'docs', name), 'made');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Records a restore that made two files. @param keptIn side folders of versions of the first one */
function record(keys = deriveKeys(OWN), facts: Partial<RecordedRestore> = {}, keptIn: readonly string[] = []): void {
  const restore = {
    id: '0123456789abcdef',
    deviceId: 'device',
    backupSet: 'docs',
    restorePoint: '2026-11-20T00:00:00.000Z',
    startedAt: RESTORED,
    target,
    deepest: target,
    bases: [{ folder: [], name: 'docs' }],
    ...facts,
  };
  using store = new PlanStore(join(folder, 'scratch'));
  const place = { folder: records, seal: new RecordSeal(keys.undo), isUndoable: true };
  using made = RestoreRecord.open(store.database, place, restore);
  const { changes } = made;
  for (const name of ['a', 'b']) {
    const rest = { type: 'file', mode: 0o644, seconds: null, nanoseconds: 0, target: null } as const;
    changes.planned({ location: `docs/${name}`, size: 4, exists: false, ...rest });
  }
  for (const side of keptIn) changes.kept(['docs', 'a'], [...side.split('/'), 'a']);
  made.begin();
}

function dependencies(keys = deriveKeys(OWN)): Parameters<typeof undoRestore>[0] {
  return { records, clock: { now: () => RESTORED + 60_000 }, keys };
}

function tamper(sql: string, ...values: readonly unknown[]): void {
  const database = new Database(
    join(
      records,
      readdirSync(records).find((name) => name.endsWith('.sqlite'))!,
    ),
  );
  database.prepare(sql).run(...values);
  database.close();
}

/** Nothing was moved. */
function isAsItWas(): boolean {
  return ['a', 'b'].every((name) => existsSync(join(target, 'docs', name)));
}

describe('a record of a restore', () => {
  test.each([
    `CREATE TRIGGER more AFTER DELETE ON restore BEGIN
       INSERT INTO change (location, made, existed, type, size, asides, state, mac) VALUES ('docs/mine', 1, 0, 'file', 4, '[]', 0, '');
     END`,
    'CREATE VIEW shown AS SELECT * FROM change',
    'CREATE INDEX added ON change (state)',
    'CREATE TABLE more (id INTEGER)',
  ])('is refused with a schema that somebody has changed: %s', async (sql) => {
    record();
    writeFileSync(join(target, 'docs', 'mine'), 'mine');
    tamper(sql);
    expect(undoableRestore(dependencies())).toBeUndefined();
    await expect(undoRestore(dependencies())).rejects.toMatchObject({ code: 'undo_untrusted' });
    expect(isAsItWas()).toBe(true);
    expect(existsSync(join(target, 'docs', 'mine'))).toBe(true);
  });

  test('is undone if this home has written it, also after its key was changed', async () => {
    record();
    const rotated = deriveKeys([
      { epoch: 2, master: OTHER },
      { epoch: 1, master: OWN },
    ]);
    expect(undoableRestore(dependencies(rotated))).toMatchObject({ created: 2 });
    expect(await undoRestore(dependencies(rotated))).toMatchObject({ movedAside: 2, notUndoneTotal: 0 });
  });

  test('is refused, and not offered, if it was written with another key', async () => {
    record(deriveKeys(OTHER));
    expect(undoableRestore(dependencies())).toBeUndefined();
    await expect(undoRestore(dependencies())).rejects.toMatchObject({
      code: 'undo_untrusted',
      details: { file: expect.stringContaining(records) },
    });
    expect(isAsItWas()).toBe(true);
  });

  test.each(['target', 'deepest', 'id', 'startedAt', 'bases'])('is refused if its %s was changed', async (field) => {
    record();
    const values = { target: folder, deepest: '/', id: 'f'.repeat(16), startedAt: RESTORED - 1, bases: [] };
    const value = JSON.stringify(values[field as keyof typeof values]);
    tamper(`UPDATE restore SET form = json_set(form, '$.${field}', json(?))`, value);
    await expect(undoRestore(dependencies())).rejects.toMatchObject({ code: 'undo_untrusted' });
    expect(isAsItWas()).toBe(true);
  });

  test('is refused in the file of another record', async () => {
    record();
    const name = readdirSync(records).find((each) => each.endsWith('.sqlite'))!;
    copyFileSync(join(records, name), join(records, name.replace('0123456789abcdef', 'fedcba9876543210')));
    rmSync(join(records, name));
    await expect(undoRestore(dependencies())).rejects.toMatchObject({ code: 'undo_untrusted' });
  });

  test.each([
    ['location', 'docs/c'],
    ['size', 5],
    ['type', 'directory'],
    ['existed', 1],
    ['made', 0],
    ['state', 1],
    ['state', 2],
    ['asides', JSON.stringify([`${asideNameOf(RESTORED)}/a`])],
    ['mac', 'none'],
  ])('names an entry as invalid whose %s was changed, and undoes the others', async (column, value) => {
    record();
    writeFileSync(join(target, 'docs', 'c'), 'mine');
    tamper(`UPDATE change SET ${column} = ? WHERE location = 'docs/a'`, value);
    expect(await undoRestore(dependencies())).toMatchObject({
      movedAside: 1,
      notUndone: [{ reason: 'invalid' }],
    });
    expect(readFileSync(join(target, 'docs', 'c'), 'utf8')).toBe('mine');
    expect(existsSync(join(target, 'docs', 'a'))).toBe(true);
  });

  test.each([
    "DELETE FROM change WHERE location = 'docs/a'",
    "DELETE FROM change WHERE location = 'docs/b'",
    'DELETE FROM change',
  ])('is refused if entries were taken out of it: %s', async (sql) => {
    record(deriveKeys(OWN), {}, SIDES);
    tamper(sql);
    expect(undoableRestore(dependencies())).toBeUndefined();
    await expect(undoRestore(dependencies())).rejects.toMatchObject({ code: 'undo_untrusted' });
    expect(isAsItWas()).toBe(true);
  });

  test('names an entry as invalid if one of the earlier versions of it was taken out', async () => {
    record(deriveKeys(OWN), {}, SIDES);
    tamper(`UPDATE change SET asides = json_remove(asides, '$[2]') WHERE location = 'docs/a'`);
    expect((await undoRestore(dependencies())).notUndone).toContainEqual(
      expect.objectContaining({ path: join(target, 'docs', 'a'), reason: 'invalid' }),
    );
  });

  test('keeps a file that is new since, although somebody set the state of its entry', async () => {
    record();
    rmSync(join(target, 'docs', 'a'));
    writeFileSync(join(target, 'docs', 'a'), 'written since');
    tamper('UPDATE change SET state = 1');
    await undoRestore(dependencies());
    expect(readFileSync(join(target, 'docs', 'a'), 'utf8')).toBe('written since');
  });

  test('is not sealed anew where a restore that continues it finds what somebody has changed', async () => {
    record();
    const forged = { mode: 0o777, seconds: null, nanoseconds: 0, owner: null, xattrs: null };
    tamper(`UPDATE change SET attributes = ?, existed = 1 WHERE location = 'docs/a'`, JSON.stringify(forged));
    record();
    tamper('UPDATE change SET state = state');
    expect(await undoRestore(dependencies())).toMatchObject({ movedAside: 2, notUndoneTotal: 0 });
  });

  test('names an entry as invalid that was added', async () => {
    record();
    writeFileSync(join(target, 'docs', 'c'), 'mine');
    tamper(`INSERT INTO change (location, made, existed, type, size, asides, state, mac)
      VALUES ('docs/c', 1, 0, 'file', 4, '[]', 0, 'none')`);
    expect(await undoRestore(dependencies())).toMatchObject({ movedAside: 2, notUndone: [{ reason: 'invalid' }] });
    expect(existsSync(join(target, 'docs', 'c'))).toBe(true);
  });
});
