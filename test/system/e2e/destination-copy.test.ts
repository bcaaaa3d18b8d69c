import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { differences } from '../../helpers/differences.ts';
import { slashedPaths } from '../../helpers/slashed-paths.ts';
import { buildTree } from '../../helpers/tree/build.ts';
import { copyTree } from '../../helpers/tree/copy.ts';
import { directory, file } from '../../helpers/tree/nodes.ts';
import { CAN_SIGN_IN, codeOf, createAccount, Server } from './server.ts';
import { isPlainMessage, Workplace, type BackupAnswer, type RestoreAnswer } from './workplace.ts';

const MINUTES = 60_000;

interface CopyAnswer {
  readonly points_copied: number;
  readonly points_skipped: readonly { readonly restore_point: string; readonly reason: string }[];
  readonly bytes_copied: number;
  readonly failures: readonly { readonly path: string | null; readonly reason: string }[];
}

interface SetupAnswer {
  readonly recovery_phrase: string;
  readonly device_id: string;
}

let workplace: Workplace;
let source: string;
let first: SetupAnswer;
beforeEach(async () => {
  workplace = new Workplace();
  source = workplace.path('source');
  await buildTree(source, {
    'large.bin': file({ seed: 1, size: 3_000_000 }),
    'note.txt': file('a note'),
    many: directory(Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`${index}`, file(`file ${index}`)]))),
  });
  first = await workplace.json<SetupAnswer>(['setup', '--destination', workplace.destination]);
  await workplace.addSet('documents', source);
});
afterEach(() => workplace[Symbol.dispose]());

const addFolder = (name: string): Promise<object> =>
  workplace.json(['destination', 'add', '--destination', workplace.path(name), '--name', name]);
const backUp = (destination = 'destination'): Promise<BackupAnswer> =>
  workplace.json<BackupAnswer>(['backup', 'documents', '--destination', destination]);
const copy = (from: string, to: string, status = 0): Promise<CopyAnswer> =>
  workplace.json<CopyAnswer>(['destination', 'copy', from, to], status);

/** A copy of the source as it is now. */
function snapshot(name: string): string {
  copyTree(source, workplace.path(name));
  return workplace.path(name);
}

function expectSame(one: string, other: string): void {
  expect(differences(one, other)).toBe('');
}

/** The jobs of a kind as the catalog has them, read by another library. */
function jobs(kind: string): readonly { readonly state: string; readonly report: Record<string, unknown> | null }[] {
  using catalog = new DatabaseSync(join(workplace.home, 'catalog.sqlite'), { readOnly: true });
  const rows = catalog.prepare('SELECT state, report FROM job WHERE kind = ? ORDER BY id').all(kind);
  return rows.map(({ state, report }) => ({
    state: String(state),
    report: typeof report === 'string' ? slashedPaths(JSON.parse(report) as Record<string, unknown>) : null,
  }));
}

function packsIn(directory: string): readonly string[] {
  const files = readdirSync(join(directory, 'packs'), { recursive: true, withFileTypes: true });
  return files
    .filter((entry) => entry.isFile() && /^[0-9a-f]{64}$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
}

describe('a copy from one destination to another', () => {
  test('suffices for a new computer when the first one is gone', { timeout: 3 * MINUTES }, async () => {
    const states = [snapshot('state 1')];
    const points = [await backUp()];
    writeFileSync(join(source, 'note.txt'), 'another note');
    rmSync(join(source, 'many/7'));
    states.push(snapshot('state 2'));
    points.push(await backUp());
    await addFolder('second');
    writeFileSync(join(source, 'note.txt'), 'a note that only the second one has');
    states.push(snapshot('state 3'));
    points.push(await backUp('second'));
    // Both are older than what is there.
    expect(await copy('destination', 'second')).toMatchObject({ points_copied: 2, points_skipped: [], failures: [] });
    expect(jobs('copy')).toMatchObject([{ state: 'succeeded', report: { pointsCopied: 2 } }]);
    rmSync(workplace.destination, { recursive: true });
    rmSync(workplace.home, { recursive: true });

    const phrase = workplace.write('phrase', first.recovery_phrase);
    const second = ['--destination', workplace.path('second')];
    const { backup_sets: sets } = await workplace.json<{ backup_sets: readonly { readonly device_id: string }[] }>([
      'setup',
      ...second,
      '--recovery-phrase-file',
      phrase,
    ]);
    const device = ['--device', sets[0]!.device_id];
    const listed = await workplace.json<{ points: readonly { readonly restore_point: string }[] }>([
      'points',
      'documents',
      ...device,
    ]);
    expect(listed.points.map((point) => point.restore_point)).toEqual(
      points.map((point) => point.restore_point).toReversed(),
    );
    for (const [index, { restore_point: at }] of points.entries()) {
      const to = workplace.path(`target ${index}`);
      const words = ['restore', 'documents', ...device, '--at', at, '--to', to];
      expect(await workplace.json<RestoreAnswer>(words)).toMatchObject({ failures: [], warnings: [] });
      expectSame(states[index]!, `${to}/source`);
    }
    const check = await workplace.json<{ findings: unknown[]; losses: unknown[] }>(['check', '--read-data']);
    expect(check).toMatchObject({ findings: [], losses: [] });
  });

  test('continues when it was killed', { timeout: 3 * MINUTES }, async () => {
    for (let number = 0; number < 6; number += 1) {
      await buildTree(join(source, `large ${number}`), { 'data.bin': file({ seed: 10 + number, size: 12_000_000 }) });
      await backUp();
    }
    await addFolder('second');
    const target = workplace.path('second');
    const { child, ended } = workplace.start(['destination', 'copy', 'destination', 'second']);
    const stored = (): number => (readdirSync(target).includes('packs') ? packsIn(target).length : 0);
    // Two are written at once, and one that was just written may be written again.
    while (child.exitCode === null && stored() < 3) await sleep(2);
    child.kill('SIGKILL');
    expect(await ended).toMatchObject({ signal: 'SIGKILL' });

    const { points_copied: copied, points_skipped: skipped, bytes_copied: bytes } = await copy('destination', 'second');
    expect(copied + skipped.length).toBe(6);
    expect(copied).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(64_000_000);
    expect(jobs('copy').map(({ state }) => state)).toEqual(['interrupted', 'succeeded']);
    renameSync(workplace.destination, workplace.path('away'));
    const words = ['restore', 'documents', '--destination', 'second', '--to', workplace.path('restored')];
    expect(await workplace.json<RestoreAnswer>(words)).toMatchObject({ failures: [], warnings: [] });
    expectSame(source, workplace.path('restored/source'));
  });

  test('names what it could not copy, also in its job', { timeout: 2 * MINUTES }, async () => {
    await backUp();
    const known = new Set(packsIn(workplace.destination));
    writeFileSync(join(source, 'note.txt'), 'a note that will be lost');
    const { restore_point: lost } = await backUp();
    const added = packsIn(workplace.destination).filter((pack) => !known.has(pack));
    rmSync(join(source, 'note.txt'));
    await backUp();
    await addFolder('second');
    for (const pack of added) {
      const bytes = readFileSync(pack);
      // The first blob is the file's.
      bytes[20]! ^= 1;
      writeFileSync(pack, bytes);
    }
    const answer = await copy('destination', 'second', 1);
    expect(answer).toMatchObject({
      points_copied: 2,
      failures: [{ path: join(source, 'note.txt'), restore_point: lost }],
    });
    const [job] = jobs('copy');
    expect(job).toMatchObject({
      state: 'failed',
      report: { pointsCopied: 2, failures: [{ path: join(source, 'note.txt') }] },
    });
    const text = await workplace.run('destination', 'copy', 'destination', 'second');
    expect(text.stderr).toMatch(/^warning: not copied: documents at .*note\.txt/m);
    expect(isPlainMessage(text.stderr)).toBe(true);
  });

  test.skipIf(!CAN_SIGN_IN)('goes to a service and from there to a folder', { timeout: 4 * MINUTES }, async () => {
    const data = workplace.path('service');
    const account = await createAccount(workplace, data, 'anna@example.org');
    await using server = await Server.start(workplace, data);
    const signIn = ['--email', account.email, '--password-file', account.passwordFile, '--code', codeOf(account)];
    const states = [snapshot('state 1')];
    const points = [await backUp()];
    writeFileSync(join(source, 'note.txt'), 'another note');
    states.push(snapshot('state 2'));
    points.push(await backUp());
    await workplace.json(['destination', 'add', '--server', server.address, ...signIn, '--name', 'Service']);
    expect(await copy('destination', 'Service')).toMatchObject({ points_copied: 2, points_skipped: [], failures: [] });
    await addFolder('third');
    expect(await copy('Service', 'third')).toMatchObject({ points_copied: 2, points_skipped: [], failures: [] });
    rmSync(workplace.destination, { recursive: true });
    for (const destination of ['Service', 'third']) {
      for (const [index, { restore_point: at }] of points.entries()) {
        const to = workplace.path(`${destination} ${index}`);
        const words = ['restore', 'documents', '--at', at, '--destination', destination, '--to', to];
        expect(await workplace.json<RestoreAnswer>(words)).toMatchObject({ failures: [], warnings: [] });
        expectSame(states[index]!, `${to}/source`);
      }
    }
  });

  test.skipIf(!CAN_SIGN_IN)('names what a service does not take any more', { timeout: 4 * MINUTES }, async () => {
    const data = workplace.path('service');
    const account = await createAccount(workplace, data, 'anna@example.org');
    await using server = await Server.start(workplace, data);
    const signIn = ['--email', account.email, '--password-file', account.passwordFile, '--code', codeOf(account)];
    await workplace.json(['destination', 'add', '--server', server.address, ...signIn, '--name', 'Service']);
    const { restore_point: old } = await backUp();
    writeFileSync(join(source, 'note.txt'), 'another note');
    await backUp('Service');
    const answer = await copy('destination', 'Service', 3);
    expect(answer).toMatchObject({ points_copied: 0, points_skipped: [{ restore_point: old, reason: 'older' }] });
    const text = await workplace.run('destination', 'copy', 'destination', 'Service');
    expect(text).toMatchObject({ status: 3 });
    expect(text.stderr).toMatch(/^warning: not copied: documents at .*older than the newest one at Service$/m);
    expect(jobs('copy').map(({ state }) => state)).toEqual(['succeeded-with-warnings', 'succeeded-with-warnings']);
  });
});
