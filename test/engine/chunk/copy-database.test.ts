import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { copyDatabase, isOneMoment } from '../../../src/engine/chunk/copy-database.ts';

type Seen = Parameters<typeof isOneMoment>[0];
type SeenFile = NonNullable<Seen['database']>;

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

const seen = (database: SeenFile, wal?: SeenFile, journal?: SeenFile): Seen => ({ database, wal, journal });
const DATABASE = file('database');
const LOG = file('generation 1', { ino: 8n });
const written = file('database, other', { mtimeNs: 4_500_000_001n });

describe('files that were copied between two looks', () => {
  const cases: readonly (readonly [string, Seen, Seen, boolean, bigint?])[] = [
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
  ];
  test.each(cases.map(([name, ...rest]) => ({ name, rest })))(
    '$name',
    ({ rest: [before, after, expected, now = NOW] }) => {
      expect(isOneMoment(before, after, now)).toBe(expected);
    },
  );
});

describe('a copy of a database', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-database-'));
    mkdirSync(join(folder, 'copies'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const copied = () => {
    const { value } = copyDatabase({ path: join(folder, 'app.db'), copy: join(folder, 'copies/app.db') });
    return value.members.map(({ suffix, copy, size }) => ({ suffix, size, text: readFileSync(copy, 'utf8') }));
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
});
