import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { copyDatabase } from '../../../../../src/archive/chunk/database/copy-database.ts';

import { LEVELDB } from '../../../../../src/archive/chunk/database/leveldb.ts';
import { LMDB } from '../../../../../src/archive/chunk/database/lmdb.ts';
import type { Look, SeenFile } from '../../../../../src/archive/chunk/database/database-format.ts';
import { packedStat } from '../../../../../src/os/filesystem/stat-record.ts';
import { databaseKindOf } from '../../../../../src/os/filesystem/database-file.ts';
import { SQLITE } from '../../../../../src/archive/chunk/database/sqlite.ts';

const NOW = 5_000_000_001n;
const HOT = Buffer.concat([
  Buffer.from('d9d505f920a163d7', 'hex'),
  Buffer.from('0000000112345678aaaaaaaabbbbbbbbcccccccc', 'hex'),
]);
const COLD = Buffer.alloc(28);

function file(
  head: string | Buffer,
  more: Partial<Record<'ino' | 'size' | 'mtimeNs' | 'ctimeNs', bigint>> = {},
): SeenFile {
  const stat = { ino: 7n, size: 4096n, mtimeNs: 4_000_000_001n, ctimeNs: 4_000_000_001n, ...more };
  return { stat: stat as SeenFile['stat'], head: typeof head === 'string' ? Buffer.from(head.padEnd(32, '.')) : head };
}

const seen = (database: SeenFile, wal?: SeenFile, journal?: SeenFile): Look =>
  new Map([
    ['', database],
    ...(wal ? [['-wal', wal] as const] : []),
    ...(journal ? [['-journal', journal] as const] : []),
  ]);
const DATABASE = file('database');
/** Writes half a transaction, says so, and commits it when its input ends. */
const HALF = `
const [, path, mode] = process.argv;
const database = new (require('better-sqlite3'))(path).unsafeMode(true);
database.pragma('journal_mode = ' + mode);
database.pragma('cache_size = 10');
database.exec('create table entry(value); begin');
const insert = database.prepare('insert into entry values(?)');
for (let row = 0; row < 2000; row += 1) insert.run(Buffer.alloc(600, 1));
console.log('half');
process.stdin.on('end', () => database.exec('commit')).resume();
`;
const LOCKED: SeenFile = { ...DATABASE, isBeingWritten: true };
const LOG = file('generation 1', { ino: 8n });
const written = file('database, other', { mtimeNs: 4_500_000_001n });

describe('files that were copied between two looks', () => {
  const cases: readonly (readonly [string, Look, Look, boolean, bigint?])[] = [
    ['that nobody wrote to', seen(DATABASE), seen(DATABASE), true],
    ['of which the database was written', seen(DATABASE), seen(written), false],
    ['written shortly before, in the tick that lasts', seen(DATABASE), seen(DATABASE), false, 4_000_000_001n],
    [
      'of a file system with whole seconds, within two',
      seen(file('x', { mtimeNs: 4_000_000_000n })),
      seen(file('x', { mtimeNs: 4_000_000_000n })),
      false,
    ],
    ['whose times are the same, and whose head is not', seen(DATABASE), seen(file('other')), false],
    ['replaced by another database', seen(DATABASE, LOG), seen(file('database', { ino: 9n }), LOG), false],
    ['with a log, during a checkpoint', seen(DATABASE, LOG), seen(written, LOG), true],
    ['with a log that grew', seen(DATABASE, LOG), seen(DATABASE, file('generation 1', { ino: 8n, size: 9999n })), true],
    ['with a log that began anew', seen(DATABASE, LOG), seen(DATABASE, file('generation 2', { ino: 8n })), false],
    ['with a log that was made anew', seen(DATABASE, LOG), seen(DATABASE, file('generation 1', { ino: 9n })), false],
    ['whose log was moved into the database', seen(DATABASE, LOG), seen(DATABASE), false],
    ['whose log was emptied', seen(DATABASE, LOG), seen(DATABASE, file(Buffer.alloc(0), { ino: 8n })), false],
    ['that have got a log', seen(DATABASE), seen(DATABASE, LOG), false],
    ['in one transaction', seen(DATABASE, undefined, file(HOT)), seen(written, undefined, file(HOT)), true],
    ['whose transaction ended', seen(DATABASE, undefined, file(HOT)), seen(written), false],
    ['whose transaction began', seen(DATABASE), seen(DATABASE, undefined, file(HOT)), false],
    [
      'in two transactions',
      seen(DATABASE, undefined, file(HOT)),
      seen(written, undefined, file(Buffer.from(HOT).fill(1, 12, 16))),
      false,
    ],
    ['in two journals', seen(DATABASE, undefined, file(HOT)), seen(written, undefined, file(HOT, { ino: 9n })), false],
    [
      'beside a journal that is over',
      seen(DATABASE, undefined, file(COLD)),
      seen(DATABASE, undefined, file(COLD)),
      true,
    ],
    ['with a log and a hot journal', seen(DATABASE, LOG, file(HOT)), seen(DATABASE, LOG, file(HOT)), false],
    ['in a transaction without a journal, at first', seen(LOCKED), seen(DATABASE), false],
    ['in a transaction without a journal, at last', seen(DATABASE), seen(LOCKED), false],
    [
      'locked for good, beside a journal',
      seen(LOCKED, undefined, file(COLD)),
      seen(LOCKED, undefined, file(COLD)),
      true,
    ],
    ['locked, with a log', seen(LOCKED, LOG), seen(LOCKED, LOG), true],
  ];
  test.each(cases.map(([name, ...rest]) => ({ name, rest })))(
    '$name',
    ({ rest: [before, after, expected, now = NOW] }) => {
      expect(SQLITE.isOneMoment(before, after, now)).toBe(expected);
    },
  );
});

describe('an environment of LMDB between two looks', () => {
  const at = (head: string, ino = 7n): Look => new Map([['', file(head, { ino, mtimeNs: 4_999_999_999n })]]);
  test.each([
    ['with the same two states, whatever was written', at('5, 4'), at('5, 4'), true],
    ['with a newer state', at('5, 4'), at('5, 6'), false],
    ['put in the place of another', at('5, 4'), at('5, 4', 8n), false],
    ['that is gone', at('5, 4'), new Map(), false],
  ])('%s', (_name, before, after, expected) => {
    expect(LMDB.isOneMoment(before, after, NOW)).toBe(expected);
  });
});

describe('a folder of LevelDB between two looks', () => {
  const at = (list: Partial<Record<'ino' | 'size' | 'mtimeNs', bigint>>, name = 'MANIFEST-000004'): Look =>
    new Map([
      ['CURRENT', file(`${name}\n`)],
      [name, file('', list)],
      ['000005.log', file('', { size: 9n })],
    ]);
  const more = new Map([...at({}), ['000006.ldb', file('')], ['000005.log', file('', { size: 99n })]]);
  test.each([
    ['whose log grew, and that has got a table which no list names', at({}), more, true],
    ['whose list grew', at({}), at({ size: 4097n }), false],
    ['whose list was written to', at({}), at({ mtimeNs: 4_500_000_001n }), false],
    ['whose list was replaced', at({}), at({ ino: 8n }), false],
    ['with another list', at({}), at({}, 'MANIFEST-000009'), false],
    ['that is gone', at({}), new Map(), false],
  ])('%s', (_name, before, after, expected) => {
    expect(LEVELDB.isOneMoment(before, after, NOW)).toBe(expected);
  });
});

describe('a copy of a database', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-database-'));
    mkdirSync(join(folder, 'copies'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const copied = () => {
    const { value } = copyDatabase({
      kind: 'sqlite',
      path: join(folder, 'app.db'),
      copy: join(folder, 'copies/app.db'),
    });
    return value.members.map(({ suffix, copy, size }) => ({ suffix, size, text: readFileSync(copy!, 'utf8') }));
  };

  test('has what is beside it, and its times', () => {
    for (const [name, text] of [
      ['app.db', 'database'],
      ['app.db-journal', ''],
      ['app.db-shm', 'shared'],
    ] as const) {
      writeFileSync(join(folder, name), text);
      utimesSync(join(folder, name), 1000.0005, 1000.0005);
    }
    expect(copied()).toEqual([
      { suffix: '', size: 8, text: 'database' },
      { suffix: '-journal', size: 0, text: '' },
    ]);
    appendFileSync(join(folder, 'app.db-wal'), Buffer.alloc(40, 1));
    expect(copied().map(({ suffix }) => suffix)).toEqual(['', '-wal', '-journal']);
  });

  test('is none of what is not there, of a folder, or of a transaction over several databases', () => {
    expect(copied()).toEqual([]);
    mkdirSync(join(folder, 'app.db'));
    expect(copied()).toEqual([]);
    rmSync(join(folder, 'app.db'), { recursive: true });
    writeFileSync(join(folder, 'app.db'), 'database');
    writeFileSync(join(folder, 'app.db-journal'), Buffer.concat([HOT, Buffer.alloc(500), HOT.subarray(0, 8)]));
    expect(copied()).toEqual([]);
    writeFileSync(join(folder, 'app.db-journal'), Buffer.concat([HOT, Buffer.alloc(500)]));
    expect(copied().map(({ suffix }) => suffix)).toEqual(['', '-journal']);
  });

  // The half of such a transaction is in the file for as long as it lasts, and the file keeps its times. In a process of its own: the locks of a process end when
  // it closes the file once.
  test.skipIf(process.platform !== 'linux').each(['MEMORY', 'OFF'])(
    'is none of half a transaction without a journal (%s)',
    async (mode) => {
      const path = join(folder, 'app.db');
      const input = { kind: 'sqlite', path, copy: join(folder, 'copies/app.db') } as const;
      const writer = spawn(process.execPath, ['-e', HALF, path, mode], {
        cwd: import.meta.dirname,
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      await once(writer.stdout, 'data');
      expect(lstatSync(path).size).toBeGreaterThan(500_000);
      expect(copyDatabase(input).value.members).toEqual([]);
      writer.stdin.end();
      await once(writer, 'close');
      const { members } = copyDatabase(input).value;
      const copy = new Database(members[0]!.copy, { readonly: true });
      expect(copy.prepare('select count(*) from entry').pluck().get()).toBe(2_000);
      copy.close();
    },
  );

  test('of a folder has what the list may name, the logs last and in their order, and no table twice', () => {
    const store = join(folder, 'store');
    mkdirSync(store);
    const names = ['000010.log', '000009.log', '000003.ldb', '000004.sst', 'OPTIONS-000001', 'MANIFEST-000002'];
    for (const name of [...names, 'MANIFEST-000001', 'LOG', 'LOCK', 'letter.txt'])
      writeFileSync(join(store, name), name);
    writeFileSync(join(store, 'CURRENT'), 'MANIFEST-000002\n');
    const known = new Map(
      ['000003.ldb', '000009.log'].map((name) => [name, packedStat(lstatSync(join(store, name), { bigint: true }))]),
    );
    const input = { kind: 'leveldb', path: `${store}/`, copy: `${join(folder, 'copies')}/` } as const;
    const { members } = copyDatabase({ ...input, known }).value;
    expect(members.map(({ suffix }) => suffix)).toEqual([
      'CURRENT',
      'MANIFEST-000002',
      '000003.ldb',
      '000004.sst',
      'OPTIONS-000001',
      '000009.log',
      '000010.log',
    ]);
    expect(members.filter(({ copy }) => copy === undefined).map(({ suffix }) => suffix)).toEqual(['000003.ldb']);
    expect(readFileSync(members.at(-1)!.copy!, 'utf8')).toBe('000010.log');
    // Nothing names the list, or the list is not there: no database can be read.
    for (const current of ['MANIFEST-000002', 'MANIFEST-000007\n', '../MANIFEST-000002\n']) {
      writeFileSync(join(store, 'CURRENT'), current);
      expect(copyDatabase(input).value.members).toEqual([]);
    }
  });

  test('of LMDB has the pages in use, and the size of the file', () => {
    const page = (transaction: number): Buffer => {
      const bytes = Buffer.alloc(4096);
      bytes.writeUInt16LE(0x08, 10);
      Buffer.from('dec0efbe01000000', 'hex').copy(bytes, 16);
      bytes.writeUInt32LE(4096, 40);
      bytes.writeBigUInt64LE(2n, 136);
      bytes.writeBigUInt64LE(BigInt(transaction), 144);
      return bytes;
    };
    const path = join(folder, 'data.mdb');
    const content = Buffer.concat([page(4), page(5), Buffer.alloc(4096, 'x')]);
    writeFileSync(path, content);
    truncateSync(path, 50_000_000);
    expect(databaseKindOf(path)).toBe('lmdb');
    const { members } = copyDatabase({ kind: 'lmdb', path, copy: join(folder, 'copies/data.mdb') }).value;
    const copy = readFileSync(members[0]!.copy!);
    expect(copy).toHaveLength(50_000_000);
    expect(copy.subarray(0, content.length).equals(content)).toBe(true);
    expect(lstatSync(members[0]!.copy!).blocks * 512).toBeLessThan(1_000_000);
  });
});
