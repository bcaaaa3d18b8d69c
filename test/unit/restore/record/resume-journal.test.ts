import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deriveKeys } from '../../../../src/format/crypto/keys.ts';
import { PlanStore } from '../../../../src/restore/record/plan-store.ts';
import { RecordSeal } from '../../../../src/restore/record/record-seal.ts';
import { RestoreRecord, type NewRestore } from '../../../../src/restore/record/restore-record.ts';
import { restoreIdOf } from '../../../../src/restore/record/resume-journal.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const NOW = Date.UTC(2026, 10, 20);

let scratch: string;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'holdfast-journal-'));
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

const place = (keys = deriveKeys(Buffer.alloc(32, 7))) => {
  return { folder: scratch, seal: new RecordSeal(keys.undo), isUndoable: false };
};

function restoreTo(target: string, startedAt = NOW): NewRestore {
  const point = { deviceId: 'device', backupSet: 'set', restorePoint: 'point', target };
  const id = restoreIdOf({ ...point, isProven: true, paths: [], without: [], inPlace: false, exact: false });
  return { ...point, id, startedAt, continuedAt: startedAt, deepest: '/', bases: [] };
}

/** Runs a restore that writes nothing. @returns whether it continues another, and what that found */
function run(restore: NewRestore, use: (record: RestoreRecord) => void = () => undefined): boolean {
  mkdirSync(join(scratch, 'plans'), { recursive: true });
  using store = new PlanStore(join(scratch, 'plans'));
  using record = RestoreRecord.open(store.database, place(), restore);
  use(record);
  return record.journal.resumed;
}

/** Leaves the record of a restore that began to write some days ago. Returns its file. */
function abandoned(target: string, days: number): string {
  let file = '';
  run(restoreTo(target, NOW - days * DAY_MS), (record) => {
    record.journal.recordExisting('/there', true);
    record.begin();
    ({ file } = record);
  });
  return file;
}

function tamper(file: string, sql: string): void {
  const database = new Database(file);
  database.exec(sql);
  database.close();
}

describe('the record of an abandoned restore', () => {
  test('is removed after 30 days by the next restore', () => {
    const [old, young] = [abandoned('/old', 31), abandoned('/young', 29)];
    run(restoreTo('/other'));
    expect([old, young].map((file) => existsSync(file))).toEqual([false, true]);
  });

  test('stays when the next one is a dry run', () => {
    const old = abandoned('/old', 31);
    RestoreRecord.openReadOnly(place(), restoreTo('/other'))[Symbol.dispose]();
    expect(existsSync(old)).toBe(true);
  });

  test('is continued before that', () => {
    abandoned('/target', 29);
    expect(run(restoreTo('/target'))).toBe(true);
  });

  test('tells a later run, and a dry run, what existed before', () => {
    const file = abandoned('/target', 1);
    using dry = RestoreRecord.openReadOnly(place(), restoreTo('/target'));
    for (const path of ['/there', '/new']) expect(dry.journal.madeHere(path, true)).toBe(path === '/new');
    run(restoreTo('/target'), ({ journal }) => {
      expect(journal.madeHere('/there', true)).toBe(false);
      expect(journal.madeHere('/new', true)).toBe(true);
      expect(journal.startedAt).toBe(NOW - DAY_MS);
    });
    expect(existsSync(file)).toBe(true);
  });

  test('is removed when the restore is complete', () => {
    abandoned('/target', 1);
    let record: RestoreRecord | undefined;
    run(restoreTo('/target'), (opened) => {
      opened.begin();
      record = opened;
    });
    record!.complete();
    expect(readdirSync(scratch)).toEqual(['plans']);
  });

  test.each([
    'CREATE TRIGGER more AFTER INSERT ON change BEGIN DELETE FROM existing; END',
    "UPDATE restore SET mac = 'none'",
  ])('is not continued if somebody has changed it: %s', (sql) => {
    tamper(abandoned('/target', 1), sql);
    expect(run(restoreTo('/target'))).toBe(false);
  });

  test('is not continued if it was written with another key', () => {
    abandoned('/target', 1);
    using dry = RestoreRecord.openReadOnly(place(deriveKeys(Buffer.alloc(32, 8))), restoreTo('/target'));
    expect(dry.journal.resumed).toBe(false);
  });
});

test('a restore that has not begun to write leaves no record', () => {
  run(restoreTo('/target'));
  expect(readdirSync(scratch)).toEqual(['plans']);
});
