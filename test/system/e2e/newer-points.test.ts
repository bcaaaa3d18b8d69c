import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { FolderSnapshot } from '../../helpers/folder-snapshot.ts';
import { seededBytes } from '../../helpers/seeded-bytes.ts';
import { isPlainMessage, Workplace } from './workplace.ts';

interface Answer {
  readonly warnings?: readonly { readonly path: string; readonly reason: string }[];
  readonly error?: { readonly code: string; readonly message: string };
}

let workplace: Workplace;
/** The workplace after three backups of one computer, and before a second one is set up. */
let made: FolderSnapshot;
const POINTS = 3;

beforeAll(async () => {
  workplace = new Workplace();
  const phrase = await workplace.setUp('--device-name', 'Laptop of Anna');
  workplace.write('phrase', phrase);
  mkdirSync(workplace.path('source'));
  await workplace.addSet('documents', workplace.path('source'));
  for (let run = 1; run <= POINTS; run += 1) {
    writeFileSync(workplace.path('source', `${run}.txt`), `${run}`);
    await workplace.json(['backup', 'documents']);
  }
  made = new FolderSnapshot(workplace.folder);
  return () => {
    workplace[Symbol.dispose]();
    made[Symbol.dispose]();
  };
});
beforeEach(() => made.restore());

function at(...names: readonly string[]): string {
  return join(workplace.destination, ...names);
}

function segments(): string[] {
  const [writer] = readdirSync(at('ledger'));
  return readdirSync(at('ledger', writer!))
    .toSorted()
    .map((name) => at('ledger', writer!, name));
}

function flip(file: string): void {
  const bytes = readFileSync(file);
  bytes[bytes.length >> 1]! ^= 1;
  writeFileSync(file, bytes);
}

/** Runs a command of a home that only the destination and the phrase made. */
async function onNewComputer(
  words: readonly string[],
): Promise<{ readonly status: number | null; readonly json: Answer; readonly stderr: string }> {
  const home = workplace.path('new home');
  if (!existsSync(home)) await setUpNew();
  const ended = await workplace.runAt(home, [...words, '--json']);
  return { status: ended.status, json: JSON.parse(ended.stdout) as Answer, stderr: ended.stderr };
}

async function setUpNew(): Promise<{ readonly status: number | null; readonly json: Answer }> {
  const words = ['setup', '--destination', workplace.destination, '--recovery-phrase-file', workplace.path('phrase')];
  const ended = await workplace.runAt(workplace.path('new home'), [...words, '--json']);
  return { status: ended.status, json: JSON.parse(ended.stdout) as Answer };
}

const WARNING = { path: expect.any(String), reason: 'newer_points_possible' };

const READERS: readonly (readonly string[])[] = [
  ['points', 'documents'],
  ['ls', 'documents'],
  ['find', 'documents', 'txt'],
  ['versions', 'documents', 'SOURCE/1.txt'],
  ['diff', 'documents'],
  ['restore', 'documents', '--to', 'target'],
  ['restore', 'documents', '--to', 'other target', '--dry-run'],
  ['export', 'documents', '--to', 'documents.tar'],
  ['verify', 'documents'],
  ['drill', 'documents'],
  ['devices'],
  ['status'],
];

function wordsOf(reader: readonly string[]): string[] {
  const place = new Map([
    ['target', workplace.path('target')],
    ['other target', workplace.path('other target')],
    ['documents.tar', workplace.path('documents.tar')],
  ]);
  return reader.map((word) => place.get(word) ?? word.replace('SOURCE', workplace.path('source')));
}

test('after a bit of the newest segment was flipped, everything that reads on a new computer says that newer restore points may exist', async () => {
  flip(segments().at(-1)!);
  expect(await setUpNew()).toMatchObject({ status: 3, json: { warnings: [WARNING] } });
  for (const reader of READERS) {
    const { status, json } = await onNewComputer(wordsOf(reader));
    const own = (json.warnings ?? []).filter(({ reason }) => reason === 'newer_points_possible');
    expect([reader.join(' '), status, own]).toEqual([reader.join(' '), 3, [WARNING]]);
  }
  const shown = await workplace.runAt(workplace.path('new home'), ['points', 'documents']);
  const lines = shown.stderr.split('\n').filter((line) => line.startsWith('warning: '));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/newer or other restore points may exist.*holdfast check.*holdfast repair/);
  expect(isPlainMessage(lines[0]!)).toBe(true);
});

test('a repair brings everything back by name, and nobody is warned any more', async () => {
  rmSync(at('ledger'), { recursive: true });
  expect((await onNewComputer(['points', 'documents'])).status).toBe(3);
  const home = workplace.path('new home');
  const repaired = await workplace.runAt(home, ['repair']);
  expect(repaired.status).toBe(0);
  expect(repaired.stdout).toContain('documents of Laptop of Anna');
  for (const reader of READERS) {
    const { status, json } = await onNewComputer(wordsOf(reader));
    expect([reader.join(' '), status, json.error ?? json.warnings ?? []]).toEqual([reader.join(' '), 0, []]);
  }
  const target = workplace.path('by name');
  const words = ['restore', 'documents', '--device', 'Laptop of Anna', '--to', target];
  expect((await onNewComputer(words)).status).toBe(0);
  expect(readdirSync(join(target, 'source'))).toHaveLength(POINTS);
});

test('nothing says that there are no backups while packs have some', async () => {
  rmSync(at('ledger'), { recursive: true });
  expect(await setUpNew()).toMatchObject({ status: 3, json: { warnings: [WARNING] } });
  const home = workplace.path('new home');
  for (const words of [
    ['points', 'documents'],
    ['restore', 'documents', '--to', workplace.path('target')],
    ['check', '--read-data'],
  ]) {
    const { status, stdout, stderr } = await workplace.runAt(home, words);
    expect([words[0], status === 0]).toEqual([words[0], false]);
    expect(stdout + stderr).not.toMatch(/no backups|no backup yet|No damage was found/i);
    expect(stdout + stderr).toContain('holdfast repair');
  }
  expect((await onNewComputer(['points', 'documents'])).json).toMatchObject({ points: [], warnings: [WARNING] });
});

/** Root reads everything, without a user namespace of its own. */
const isRoot = process.getuid?.() === 0;

test.skipIf(process.platform === 'win32' || isRoot)(
  'what cannot be read for lack of rights is named, and the rest is listed',
  async () => {
    const newest = segments().at(-1)!;
    chmodSync(newest, 0);
    const { status, json } = await onNewComputer(['points', 'documents']);
    expect([status, json.warnings]).toEqual([3, [WARNING]]);
    chmodSync(newest, 0o600);
    chmodSync(join(newest, '..'), 0);
    expect((await onNewComputer(['points', 'documents'])).json.warnings).toEqual([WARNING]);
    chmodSync(join(newest, '..'), 0o700);
    expect((await onNewComputer(['points', 'documents'])).status).toBe(0);
  },
);

test('the computer that made the backups is told, too', async () => {
  rmSync(segments().at(-1)!);
  const { points, warnings } = await workplace.json<Answer & { points: readonly object[] }>(['points', 'documents'], 3);
  expect(points).toHaveLength(POINTS);
  expect(warnings).toEqual([WARNING]);
  // What a backup does not find, it says by itself.
  const backup = await workplace.json<Answer>(['backup', 'documents'], 3);
  expect(backup.warnings).toEqual([{ path: expect.any(String), reason: 'destination-damaged' }]);
});

test('a computer that had read all but the newest backup is told of that one', async () => {
  expect((await onNewComputer(['points', 'documents'])).status).toBe(0);
  writeFileSync(workplace.path('source', 'newest.txt'), 'newest');
  await workplace.json(['backup', 'documents']);
  rmSync(segments().at(-1)!);
  const { status, json } = await onNewComputer(['points', 'documents']);
  expect([status, json.warnings]).toEqual([3, [WARNING]]);
});

test('a backup that was killed before its end is no reason to warn', async () => {
  writeFileSync(workplace.path('source', 'large.bin'), seededBytes(60_000_000, 'large'));
  const packs = (): number =>
    readdirSync(at('packs'), { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
  const before = packs();
  const { child, ended } = workplace.start(['backup', 'documents']);
  while (packs() === before && child.exitCode === null) await nextTurn();
  child.kill('SIGKILL');
  await ended;
  expect(packs()).toBeGreaterThan(before);
  const { status, json } = await onNewComputer(['points', 'documents']);
  expect([status, json.warnings ?? []]).toEqual([0, []]);
});
