import {
  chmodSync,
  existsSync,
  linkSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deriveKeys } from '../../../../src/format/crypto/keys.ts';
import { localTime } from '../../../../src/restore/plan/target-names.ts';
import { RecordSeal } from '../../../../src/restore/record/record-seal.ts';
import type { RecordedRestore } from '../../../../src/restore/record/recorded-forms.ts';
import type { RecordedChanges } from '../../../../src/restore/record/recorded-changes.ts';
import { RestoreRecord } from '../../../../src/restore/record/restore-record.ts';
import { changeSealed, recordRestore } from './recorded-restore.ts';
import type { UndoReport } from '../../../../src/restore/undo/undo-report.ts';
import { undoableRestore, undoRestore } from '../../../../src/restore/undo/undo-restore.ts';
import { asideNameOf } from '../../../../src/restore/write/moved-aside.ts';

const DAY = 24 * 60 * 60 * 1000;
const RESTORED = Date.parse('2026-11-21T14:05:33Z');
const UNDONE = RESTORED + 60_000;
const BEFORE = asideNameOf(RESTORED);
const SIDE = `Before undo ${localTime(UNDONE)}`;
/** The modification time of the restored files, in seconds. */
const TIME = 1_700_000_000;

const KEYS = deriveKeys(Buffer.alloc(32, 7));
const SEAL = new RecordSeal(KEYS.undo);

let folder: string;
let target: string;
let records: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-undo-'));
  target = join(folder, 'own');
  records = join(folder, 'records');
  for (const path of [join(target, 'docs'), records, join(folder, 'scratch')]) mkdirSync(path, { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a file below the target folder. @param time in seconds */
function write(path: string, content: string, time?: number): void {
  mkdirSync(dirname(join(target, path)), { recursive: true });
  writeFileSync(join(target, path), content);
  if (time !== undefined) utimesSync(join(target, path), time, time);
}

function read(path: string): string {
  return readFileSync(join(target, path), 'utf8');
}

function content(path: string): string | undefined {
  return existsSync(join(target, path)) ? read(path) : undefined;
}

const restore = (): Omit<RecordedRestore, 'version'> => ({
  id: '0123456789abcdef',
  deviceId: 'device',
  backupSet: 'docs',
  restorePoint: '2026-11-20T00:00:00.000Z',
  startedAt: RESTORED,
  target,
  deepest: target,
  bases: [{ folder: [], name: 'docs' }],
});

const place = () => ({ folder: records, seal: SEAL, isUndoable: true });

/** Records a restore. Nothing is written to the target folder. @returns whether it continues another */
function record(fill: (into: RecordedChanges) => void, facts = restore(), isComplete = false): boolean {
  const scratch = join(folder, 'scratch');
  return recordRestore(facts, { scratch, place: place(), fill, endedAt: RESTORED + 1000, isComplete });
}

function planFile(into: RecordedChanges, location: string, size: number, exists = false): void {
  const rest = { type: 'file', mode: 0o644, nanoseconds: 0, target: null } as const;
  into.planned({ location, size, exists, seconds: TIME, ...rest });
}

function planFolder(into: RecordedChanges, location: string): void {
  const rest = { mode: 0o755, seconds: TIME, nanoseconds: 0, target: null } as const;
  into.planned({ location, type: 'directory', size: 0, exists: false, ...rest });
}

/** A restore that replaced `docs/a`. */
function replaceA(isComplete = false): void {
  write(`${BEFORE}/docs/a`, 'mine');
  write('docs/a', 'restored', TIME);
  record(
    (into) => {
      planFile(into, 'docs/a', 8, true);
      into.kept(['docs', 'a'], [BEFORE, 'docs', 'a']);
    },
    restore(),
    isComplete,
  );
}

/** Changes a record with the key of this home: what it says is checked nevertheless. */
function tamper(sql: string, ...values: readonly unknown[]): void {
  changeSealed(place(), sql, values);
}

function undo(options: Parameters<typeof undoRestore>[1] = {}, now = UNDONE): Promise<UndoReport> {
  return undoRestore({ records, clock: { now: () => now }, keys: KEYS }, options);
}

describe('undoing a restore', () => {
  test('puts back what was replaced, and moves what was restored to a folder beside', async () => {
    replaceA();
    expect(await undo()).toMatchObject({
      putBack: 1,
      movedAside: 1,
      movedTo: [join(target, SIDE)],
      notUndoneTotal: 0,
    });
    expect(read('docs/a')).toBe('mine');
    expect(read(`${SIDE}/docs/a`)).toBe('restored');
    expect(existsSync(join(target, BEFORE))).toBe(false);
  });

  test('removes the incomplete files that the restore has left, and those of nothing else', async () => {
    replaceA();
    const [own, other] = ['.holdfast-partial-0123456789abcdef-', '.holdfast-partial-fedcba9876543210-'];
    for (const name of [`${own}7`, `${own}7 notes`, `${other}7`]) write(`docs/${name}`, 'part');
    mkdirSync(join(target, 'docs', `${own}8`));
    write(`${BEFORE}/docs/${own}1`, 'part');
    await undo({ dryRun: true });
    expect(content(`docs/${own}7`)).toBe('part');
    await undo();
    expect(readdirSync(join(target, 'docs')).toSorted()).toEqual(
      [`${own}7 notes`, `${own}8`, `${other}7`, 'a'].toSorted(),
    );
    expect(existsSync(join(target, BEFORE))).toBe(false);
  });

  test('removes a folder that it had made with incomplete files', async () => {
    write('docs/new/.holdfast-partial-0123456789abcdef-2', 'part');
    record((into) => {
      planFolder(into, 'docs/new');
      planFile(into, 'docs/new/b', 4);
    });
    expect(await undo()).toMatchObject({ notUndoneTotal: 0 });
    expect(existsSync(join(target, 'docs/new'))).toBe(false);
  });

  test('moves what was created, and removes the folders that are empty then', async () => {
    write('docs/new/deep/b', 'made', TIME);
    symlinkSync('deep/b', join(target, 'docs/new/link'));
    record((into) => {
      planFolder(into, 'docs/new');
      planFolder(into, 'docs/new/deep');
      planFile(into, 'docs/new/deep/b', 4);
      const link = { type: 'symlink', size: 0, mode: 0o777, seconds: TIME, nanoseconds: 0 } as const;
      into.planned({ location: 'docs/new/link', exists: false, target: 'deep/b', ...link });
    });
    expect(await undo()).toMatchObject({ putBack: 0, movedAside: 2, notUndoneTotal: 0 });
    expect(readdirSync(join(target, 'docs'))).toEqual([]);
    expect(read(`${SIDE}/docs/new/deep/b`)).toBe('made');
  });

  test('leaves and names a file that a person has changed since', async () => {
    replaceA();
    write('docs/a', 'restored and changed');
    const report = await undo();
    expect(report.notUndone).toEqual([{ path: join(target, 'docs/a'), reason: 'changed' }]);
    expect(report).toMatchObject({ putBack: 0, movedAside: 0 });
    expect(read('docs/a')).toBe('restored and changed');
    expect(read(`${BEFORE}/docs/a`)).toBe('mine');
  });

  test('leaves and names a created file that a person has changed since, even if only its time tells', async () => {
    write('docs/b', 'made', TIME + 10);
    record((into) => planFile(into, 'docs/b', 4));
    expect((await undo()).notUndone).toEqual([{ path: join(target, 'docs/b'), reason: 'changed' }]);
    expect(read('docs/b')).toBe('made');
  });

  test('keeps a created folder that has something of a person', async () => {
    write('docs/new/b', 'made', TIME);
    write('docs/new/own', 'own');
    record((into) => {
      planFolder(into, 'docs/new');
      planFile(into, 'docs/new/b', 4);
    });
    expect(await undo()).toMatchObject({ movedAside: 1, notUndoneTotal: 0 });
    expect(readdirSync(join(target, 'docs/new'))).toEqual(['own']);
  });

  test('puts back a file that has been deleted since, with the folder that it was in', async () => {
    replaceA();
    rmSync(join(target, 'docs'), { recursive: true });
    expect(await undo()).toMatchObject({ putBack: 1, movedAside: 0 });
    expect(read('docs/a')).toBe('mine');
  });

  test('leaves the restored file if the version before is gone', async () => {
    replaceA();
    rmSync(join(target, BEFORE), { recursive: true });
    expect((await undo()).notUndone).toEqual([{ path: join(target, 'docs/a'), reason: 'gone' }]);
    expect(read('docs/a')).toBe('restored');
  });

  test('puts back a folder in whose place a file was restored', async () => {
    write(`${BEFORE}/docs/a/inside`, 'inside');
    write('docs/a', 'restored', TIME);
    record((into) => {
      planFile(into, 'docs/a', 8, true);
      into.kept(['docs', 'a'], [BEFORE, 'docs', 'a']);
    });
    expect(await undo()).toMatchObject({ putBack: 1, movedAside: 1 });
    expect(read('docs/a/inside')).toBe('inside');
  });

  test('puts back a file in whose place a folder was restored', async () => {
    write(`${BEFORE}/docs/a`, 'mine');
    write('docs/a/inside', 'restored', TIME);
    record((into) => {
      planFolder(into, 'docs/a');
      planFile(into, 'docs/a/inside', 8);
      into.kept(['docs', 'a'], [BEFORE, 'docs', 'a']);
    });
    expect(await undo()).toMatchObject({ putBack: 1, movedAside: 1, notUndoneTotal: 0 });
    expect(read('docs/a')).toBe('mine');
  });

  test('removes the second name of a file that was never replaced', async () => {
    write('docs/a', 'mine', TIME);
    mkdirSync(join(target, BEFORE, 'docs'), { recursive: true });
    linkSync(join(target, 'docs/a'), join(target, BEFORE, 'docs/a'));
    record((into) => {
      planFile(into, 'docs/a', 4, true);
      into.kept(['docs', 'a'], [BEFORE, 'docs', 'a']);
    });
    expect(await undo()).toMatchObject({ putBack: 0, movedAside: 0, notUndoneTotal: 0 });
    expect(read('docs/a')).toBe('mine');
    expect(readdirSync(target)).toEqual(['docs']);
  });

  test('says nothing of a version that an interrupted undo has put back, of the same size and nearly the same time', async () => {
    write('docs/a', 'my own a', TIME + 1.3);
    record((into) => {
      planFile(into, 'docs/a', 8, true);
      into.kept(['docs', 'a'], [BEFORE, 'docs', 'a']);
    });
    {
      using interrupted = RestoreRecord.newest(place(), UNDONE)!.record;
      interrupted.changes.setState('docs/a', 1);
    }
    expect(await undo()).toMatchObject({ putBack: 0, movedAside: 0, notUndoneTotal: 0 });
    expect(read('docs/a')).toBe('my own a');
  });

  test('says nothing of a file that the restore was to replace and never reached', async () => {
    write('docs/a', 'mine');
    record((into) => planFile(into, 'docs/a', 8, true));
    expect(await undo()).toMatchObject({ putBack: 0, movedAside: 0, notUndoneTotal: 0 });
    expect(read('docs/a')).toBe('mine');
  });

  test('gives a file its mode and time back, unless a person has chosen another mode since', async () => {
    for (const name of ['a', 'b']) write(`docs/${name}`, name, TIME);
    chmodSync(join(target, 'docs/a'), 0o644);
    chmodSync(join(target, 'docs/b'), 0o600);
    const after = { mode: 0o644, seconds: TIME, nanoseconds: 0, owner: null, xattrs: null };
    record((into) => {
      for (const name of ['a', 'b']) into.attributes(['docs', name], { ...after, mode: 0o444, seconds: 5 }, after);
    });
    await undo();
    expect(statSync(join(target, 'docs/a'))).toMatchObject({ mode: 0o100444, mtimeMs: 5000 });
    expect(statSync(join(target, 'docs/b'))).toMatchObject({ mode: 0o100600, mtimeMs: TIME * 1000 });
  });

  test('moves nothing in a dry run, and counts the same', async () => {
    replaceA();
    expect(await undo({ dryRun: true })).toMatchObject({ putBack: 1, movedAside: 1, movedTo: [] });
    expect(read('docs/a')).toBe('restored');
    expect(await undo()).toMatchObject({ putBack: 1, movedAside: 1 });
  });

  test('is possible once, and then for the restore before', async () => {
    replaceA();
    const later = { ...restore(), startedAt: RESTORED + 5000, id: 'fedcba9876543210' };
    write('docs/b', 'made', TIME);
    record((into) => planFile(into, 'docs/b', 4), later);
    expect(await undo()).toMatchObject({ startedAt: RESTORED + 5000, movedAside: 1 });
    expect(await undo()).toMatchObject({ startedAt: RESTORED, putBack: 1 });
    await expect(undo()).rejects.toMatchObject({ code: 'undo_nothing' });
  });

  test('is offered for seven days, and the record of a longer time ago is removed by the next restore', async () => {
    replaceA(true);
    const at = (now: number) => undoableRestore({ records, clock: { now: () => now }, keys: KEYS });
    const ended = RESTORED + 1000;
    expect(at(ended + 7 * DAY - 1)).toMatchObject({ backupSet: 'docs', replaced: 1, created: 0, isBegun: false });
    expect(at(ended + 7 * DAY)).toBeUndefined();
    record((into) => planFile(into, 'docs/b', 4), { ...restore(), startedAt: ended + 7 * DAY });
    expect(readdirSync(records).filter((name) => name.endsWith('.sqlite'))).toHaveLength(1);
  });

  test('counts what was replaced apart from what did not exist then and was moved', () => {
    write(`${BEFORE}/docs/a`, 'mine');
    write(`${BEFORE}/docs/new`, 'not there then');
    write('docs/a', 'restored', TIME);
    record((into) => {
      planFile(into, 'docs/a', 8, true);
      into.kept(['docs', 'a'], [BEFORE, 'docs', 'a']);
      into.kept(['docs', 'new'], [BEFORE, 'docs', 'new']);
    });
    const last = undoableRestore({ records, clock: { now: () => RESTORED }, keys: KEYS });
    expect(last).toMatchObject({ replaced: 1, moved: 1, created: 0 });
  });

  test('is the end of the restore, which cannot be continued afterwards', async () => {
    replaceA();
    await undo();
    expect(record(() => undefined, { ...restore(), startedAt: UNDONE })).toBe(false);
  });

  test('tries again what the system refused', async () => {
    replaceA();
    const file = join(target, 'docs');
    renameSync(file, join(target, 'away'));
    symlinkSync('away', file);
    const first = await undo();
    expect(first.notUndone).toEqual([{ path: join(target, 'docs/a'), reason: expect.stringMatching(/^E/) }]);
    rmSync(file);
    renameSync(join(target, 'away'), file);
    expect(await undo({}, UNDONE + 5000)).toMatchObject({ putBack: 1, notUndoneTotal: 0 });
    expect(read(`${SIDE}/docs/a`)).toBe('restored');
  });
});

describe('what cannot be put back', () => {
  function moveSurplus(): void {
    write(`${BEFORE}/docs/thesis/a`, 'mine');
    record((into) => into.kept(['docs', 'thesis'], [BEFORE, 'docs', 'thesis']));
  }

  test('is named while its folder is elsewhere, and put back when the folder is there again', async () => {
    moveSurplus();
    renameSync(join(target, BEFORE), join(folder, 'elsewhere'));
    const gone = { putBack: 0, notUndone: [{ path: join(target, 'docs/thesis'), reason: 'gone' }] };
    expect(await undo({ dryRun: true })).toMatchObject(gone);
    expect(await undo()).toMatchObject(gone);
    expect(await undo()).toMatchObject(gone);
    renameSync(join(folder, 'elsewhere'), join(target, BEFORE));
    expect(await undo()).toMatchObject({ putBack: 1, notUndoneTotal: 0 });
    expect(read('docs/thesis/a')).toBe('mine');
    await expect(undo()).rejects.toMatchObject({ code: 'undo_nothing' });
  });

  test('is not tried again if a person gives up', async () => {
    moveSurplus();
    rmSync(join(target, BEFORE), { recursive: true });
    expect(await undo({ givesUp: true })).toMatchObject({ notUndoneTotal: 1 });
    await expect(undo()).rejects.toMatchObject({ code: 'undo_nothing' });
  });

  test('is named if a person has made something else there since', async () => {
    replaceA();
    rmSync(join(target, BEFORE), { recursive: true });
    write('docs/a', 'restored and changed');
    expect((await undo()).notUndone).toEqual([{ path: join(target, 'docs/a'), reason: 'gone' }]);
  });

  test('does not include a file that was there before the restore and was not replaced in the end', async () => {
    write('docs/a', 'mine');
    const facts = { ...restore(), startedAt: Date.now() + DAY };
    record((into) => {
      planFile(into, 'docs/a', 8, true);
      into.kept(['docs', 'a'], [asideNameOf(facts.startedAt), 'docs', 'a']);
    }, facts);
    expect(await undo({}, facts.startedAt + 1)).toMatchObject({ putBack: 0, notUndoneTotal: 0 });
  });

  test.each([
    ['the owner to run as', { mode: 0o4755 }],
    ['another owner', { owner: { uid: 65_533, gid: 65_533 } }],
  ])('includes %s', async (_what, rights) => {
    write('docs/a', 'a', TIME);
    chmodSync(join(target, 'docs/a'), 0o644);
    const after = { mode: 0o644, seconds: TIME, nanoseconds: 0, owner: null, xattrs: null };
    record((into) => into.attributes(['docs', 'a'], { ...after, mode: 0o755, ...rights }, after));
    const { uid, gid } = statSync(join(target, 'docs/a'));
    expect((await undo()).notUndone).toEqual([{ path: join(target, 'docs/a'), reason: 'attributes' }]);
    expect(statSync(join(target, 'docs/a'))).toMatchObject({ mode: 0o100755, uid, gid });
  });
});

describe('a restore that was continued', () => {
  /** An interrupted run kept the first version of `docs/a`, and the run that continued it the second one. */
  function keepTwo(): void {
    write(`${BEFORE}/docs/a`, 'first');
    write(`${BEFORE}/docs/a 2`, 'second');
    write('docs/a', 'restored', TIME);
    for (const name of ['a', 'a 2']) {
      record((into) => {
        planFile(into, 'docs/a', 8, true);
        into.kept(['docs', 'a'], [BEFORE, 'docs', name]);
      });
    }
  }
  const older = (name: string) => ({ path: join(target, BEFORE, 'docs', name), reason: 'older' });

  test('gets the newest version put back, and names the older one', async () => {
    keepTwo();
    expect(await undo()).toMatchObject({ putBack: 1, notUndone: [older('a')] });
    expect(read('docs/a')).toBe('second');
    expect(read(`${BEFORE}/docs/a`)).toBe('first');
  });

  test('does not get back what its interrupted run had restored', async () => {
    keepTwo();
    write(`${BEFORE}/docs/a 2`, 'RESTORED', TIME);
    expect(await undo()).toMatchObject({ putBack: 1, notUndone: [older('a 2')] });
    expect(read('docs/a')).toBe('first');
  });

  test('is refused where the record of an older version leads outside', async () => {
    keepTwo();
    tamper('UPDATE change SET asides = json_replace(asides, ?, ?)', '$[1]', '../outside');
    expect((await undo()).notUndone).toEqual([{ path: join(target, 'docs/a'), reason: 'invalid' }]);
  });

  test('gets a version back whose attributes its interrupted run had set', async () => {
    write(`${BEFORE}/docs/a`, 'mine');
    write('docs/a', 'restored', TIME);
    const after = { mode: 0o644, seconds: TIME, nanoseconds: 0, owner: null, xattrs: null };
    record((into) => into.attributes(['docs', 'a'], { ...after, mode: 0o600 }, after));
    record((into) => {
      planFile(into, 'docs/a', 8, true);
      into.kept(['docs', 'a'], [BEFORE, 'docs', 'a']);
    });
    expect(await undo()).toMatchObject({ putBack: 1 });
    expect(read('docs/a')).toBe('mine');
  });

  test('is the next to undo, before one that started after it', async () => {
    replaceA();
    const second = { ...restore(), startedAt: RESTORED + 5000, id: 'fedcba9876543210' };
    record((into) => planFile(into, 'docs/b', 4), second);
    record(() => undefined, { ...restore(), continuedAt: RESTORED + 9000 });
    expect(await undo()).toMatchObject({ startedAt: RESTORED, putBack: 1 });
    expect(await undo()).toMatchObject({ startedAt: RESTORED + 5000 });
  });

  test('can be undone for seven days from then on', async () => {
    replaceA();
    const continuedAt = RESTORED + 8 * DAY;
    record(() => undefined, { ...restore(), continuedAt });
    record((into) => planFile(into, 'docs/b', 4), {
      ...restore(),
      startedAt: continuedAt - 1,
      id: 'fedcba9876543210',
    });
    expect(await undo({}, continuedAt + 7 * DAY - 1)).toMatchObject({ startedAt: RESTORED, putBack: 1 });
  });
});

test('a restore that changes nothing leaves the one before to undo', async () => {
  replaceA(true);
  const same = { mode: 0o755, seconds: TIME, nanoseconds: 0, owner: null, xattrs: '[["user.a","eA=="]]' };
  record((into) => into.attributes(['docs'], same, same), { ...restore(), startedAt: RESTORED + 5000 }, true);
  expect(readdirSync(records).filter((name) => name.endsWith('.sqlite'))).toHaveLength(1);
  expect(await undo()).toMatchObject({ startedAt: RESTORED });
});

test('a copied link that was never replaced leaves no copy', async () => {
  mkdirSync(join(target, BEFORE, 'docs'), { recursive: true });
  for (const path of ['docs/link', `${BEFORE}/docs/link`]) {
    symlinkSync('elsewhere', join(target, path));
    lutimesSync(join(target, path), TIME, TIME);
  }
  record((into) => into.kept(['docs', 'link'], [BEFORE, 'docs', 'link']));
  expect(await undo()).toMatchObject({ putBack: 0, notUndoneTotal: 0 });
  expect(readdirSync(target)).toEqual(['docs']);
});

test('a link that a person has made since stays and is named, even with the same time', async () => {
  mkdirSync(join(target, BEFORE, 'docs'), { recursive: true });
  for (const [path, to] of [
    ['docs/link', 'one'],
    [`${BEFORE}/docs/link`, 'two'],
  ] as const) {
    symlinkSync(to, join(target, path));
    lutimesSync(join(target, path), TIME, TIME);
  }
  record((into) => into.kept(['docs', 'link'], [BEFORE, 'docs', 'link']));
  expect((await undo()).notUndone).toEqual([{ path: join(target, 'docs/link'), reason: 'changed' }]);
});

test('an unreadable record does not hide the others', async () => {
  replaceA();
  writeFileSync(
    join(records, `restore-${String(RESTORED + 5000).padStart(15, '0')}-0123456789abcdef.sqlite`),
    'damaged',
  );
  expect(await undo()).toMatchObject({ startedAt: RESTORED, putBack: 1 });
});

describe('an interrupted undo', () => {
  /** What is looked at between two steps. */
  const interruptedAt = (step: number): AbortSignal => {
    let steps = 0;
    return Object.defineProperty(new AbortController().signal, 'aborted', { get: () => (steps += 1) > step });
  };

  function restoreMany(): void {
    for (const name of ['a', 'b', 'c']) {
      write(`${BEFORE}/docs/${name}`, `my ${name}`);
      write(`docs/${name}`, 'restored', TIME);
    }
    write('docs/new/d', 'restored', TIME);
    record((into) => {
      for (const name of ['a', 'b', 'c']) planFile(into, `docs/${name}`, 8, true);
      planFolder(into, 'docs/new');
      planFile(into, 'docs/new/d', 8);
      for (const name of ['a', 'b', 'c']) into.kept(['docs', name], [BEFORE, 'docs', name]);
    });
  }

  test.each(Array.from({ length: 10 }, (_, step) => step))('goes on after step %i', async (step) => {
    restoreMany();
    await undo({ signal: interruptedAt(step) }).catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'interrupted' });
    });
    // A later one, whose folder is nevertheless that of the first start.
    await undo({}, UNDONE + 5000).catch((error: unknown) => expect(error).toMatchObject({ code: 'undo_nothing' }));
    for (const name of ['a', 'b', 'c']) {
      expect(content(`docs/${name}`)).toBe(`my ${name}`);
      expect(content(`${SIDE}/docs/${name}`)).toBe('restored');
    }
    expect(readdirSync(target).toSorted()).toEqual([SIDE, 'docs']);
    expect(readdirSync(join(target, 'docs'))).toEqual(['a', 'b', 'c']);
  });
});

describe('a record that somebody has changed', () => {
  test.each([
    ['location', '../outside'],
    ['location', 'docs/../../outside'],
    ['location', 'other/file'],
    ['location', '/etc/passwd'],
    ['asides', '["../outside"]'],
    ['asides', '["docs/elsewhere"]'],
    ['asides', JSON.stringify([`${BEFORE}/../../outside`])],
    ['asides', 'nothing'],
    ['size', 'many'],
    ['type', 'device'],
  ])('is refused where %s is %s, and the rest is undone', async (column, value) => {
    replaceA();
    writeFileSync(join(folder, 'outside'), 'outside');
    write('docs/b', 'made', TIME);
    {
      using into = RestoreRecord.newest(place(), UNDONE)!.record;
      planFile(into.changes, 'docs/b', 4);
    }
    tamper(`UPDATE change SET ${column} = ? WHERE location = 'docs/a'`, value);
    const report = await undo();
    expect(report.notUndone).toMatchObject([{ reason: 'invalid' }]);
    expect(report.movedAside).toBe(1);
    expect(readFileSync(join(folder, 'outside'), 'utf8')).toBe('outside');
    expect(read('docs/a')).toBe('restored');
  });

  test.each(['{}', 'nothing', '[]'])('has no restore if it says %s', async (form) => {
    replaceA();
    tamper('UPDATE restore SET form = ?', form);
    await expect(undo()).rejects.toMatchObject({ code: 'undo_nothing' });
    expect(read('docs/a')).toBe('restored');
  });

  test('is refused if it leads to another folder by a link', async () => {
    replaceA();
    renameSync(target, join(folder, 'away'));
    symlinkSync('away', target);
    await expect(undo()).rejects.toMatchObject({ code: 'target_unwritable', details: { reason: 'ENOENT' } });
    expect(readFileSync(join(folder, 'away/docs/a'), 'utf8')).toBe('restored');
  });
});
