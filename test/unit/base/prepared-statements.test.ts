import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { pluckOnce, prepareOnce } from '../../../src/base/prepared-statements.ts';

describe('statements that are prepared once', () => {
  test('are the same object for the same text of one connection', () => {
    const one = open();
    const other = open();
    expect(prepareOnce(one, 'SELECT 1')).toBe(prepareOnce(one, 'SELECT 1'));
    expect(prepareOnce(one, 'SELECT 1')).not.toBe(prepareOnce(other, 'SELECT 1'));
  });

  test('return rows or the first column, whichever was prepared first', () => {
    const database = open();
    expect(pluckOnce(database, 'SELECT 1 AS a, 2 AS b').get()).toBe(1);
    expect(prepareOnce(database, 'SELECT 1 AS a, 2 AS b').get()).toEqual({ a: 1, b: 2 });
    expect(pluckOnce(database, 'SELECT 1 AS a, 2 AS b').get()).toBe(1);
  });

  test('see a changed schema', () => {
    const database = open();
    database.exec('CREATE TABLE t (a)');
    prepareOnce(database, 'INSERT INTO t (a) VALUES (?)').run(1);
    database.exec('ALTER TABLE t ADD COLUMN b DEFAULT 7');
    expect(prepareOnce(database, 'SELECT * FROM t').get()).toEqual({ a: 1, b: 7 });
    database.exec('CREATE TEMP TRIGGER twice AFTER INSERT ON t BEGIN UPDATE t SET b = 8; END');
    prepareOnce(database, 'INSERT INTO t (a) VALUES (?)').run(2);
    expect(pluckOnce(database, 'SELECT b FROM t ORDER BY a').all()).toEqual([8, 8]);
  });

  test('are at most 500 for a connection: the oldest is prepared anew', () => {
    const database = open();
    const first = prepareOnce(database, 'SELECT 0');
    for (let value = 1; value < 500; value += 1) prepareOnce(database, `SELECT ${value}`);
    expect(prepareOnce(database, 'SELECT 0')).toBe(first);
    prepareOnce(database, 'SELECT 500');
    expect(prepareOnce(database, 'SELECT 0')).not.toBe(first);
  });
});

function open(): Database.Database {
  const database = new Database(':memory:');
  onTestFinished(() => void database.close());
  return database;
}
