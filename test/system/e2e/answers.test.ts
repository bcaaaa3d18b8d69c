import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ANNA, HttpService } from '../agent/host/http-service.ts';
import { buildTree } from '../../helpers/tree/build.ts';
import { directory, fifo, file, symlink } from '../../helpers/tree/nodes.ts';
import { CAN_SIGN_IN, codeOf, createAccount, Server } from './server.ts';
import { isPlainMessage, Workplace, type BackupAnswer, type Running } from './workplace.ts';

/** The fields and exit codes that scripts rely on. Fields may be added, but not removed or changed. */
describe('JSON output', () => {
  const workplace = new Workplace();
  const source = workplace.path('source');
  let phrase: string;
  let backup: BackupAnswer;
  afterAll(() => workplace[Symbol.dispose]());

  beforeAll(async () => {
    await buildTree(source, {
      'a.txt': file('content of a'),
      folder: directory({ 'b.txt': file('b') }),
      link: symlink('a.txt'),
    });
    phrase = await workplace.setUp();
    await workplace.addSet('documents', source);
    backup = await workplace.json<BackupAnswer>(['backup', 'documents']);
  });

  test('setup --print-json prints the phrase and the device', async () => {
    const setup = [
      'setup',
      '--destination',
      workplace.path('other'),
      '--home',
      workplace.path('other home'),
      '--print-json',
    ];
    const { status, stdout } = await workplace.run(...setup);
    expect(status).toBe(0);
    const answer = JSON.parse(stdout) as Readonly<Record<string, string>>;
    expect(answer).toMatchObject({ device_id: expect.stringMatching(/./) });
    expect(answer['recovery_phrase']?.split(' ')).toHaveLength(24);
  });

  test('backup', () => {
    expect(shapeOf(backup)).toEqual({
      backup_id: 'string',
      restore_point: 'string',
      files_processed: 'number',
      chunks_new: 'number',
      chunks_deduped: 'number',
      bytes_scanned: 'number',
      bytes_new: 'number',
      bytes_uploaded: 'number',
      duration_seconds: 'number',
      compression: 'string',
      warnings: 'array',
      notes: 'array',
      left_out: 'array',
    });
    expect(new Date(backup.restore_point).toISOString()).toBe(backup.restore_point);
    expect(backup).toMatchObject({ bytes_scanned: 13, warnings: [] });
  });

  test('points, newest first', async () => {
    const second = await workplace.json<BackupAnswer>(['backup', 'documents']);
    const answer = await workplace.json<{ points: readonly Readonly<Record<string, unknown>>[] }>([
      'points',
      'documents',
    ]);
    expect(Object.keys(answer)).toEqual(['points']);
    expect(answer.points.map((point) => point['restore_point'])).toEqual([second.restore_point, backup.restore_point]);
    expect(answer.points.map((point) => point['backup_id'])).toEqual([second.backup_id, backup.backup_id]);
    expect(shapeOf(answer.points[0]!)).toEqual({
      restore_point: 'string',
      backup_id: 'string',
      files: 'number',
      bytes: 'number',
    });
    expect(answer.points[1]).toMatchObject({ files: 2, bytes: 13 });
  });

  test('ls', async () => {
    const answer = await workplace.json<{
      entries: readonly { path: string; type: string; size: number; modified: string }[];
    }>(['ls', 'documents', '--recursive']);
    expect(Object.keys(answer)).toEqual(['entries']);
    const entries = answer.entries.filter(({ path }) => path.startsWith(`${source}/`));
    expect(entries.map(({ path, type }) => [path.slice(source.length), type])).toEqual([
      ['/a.txt', 'file'],
      ['/folder', 'directory'],
      ['/folder/b.txt', 'file'],
      ['/link', 'symlink'],
    ]);
    expect(shapeOf(entries[0]!)).toEqual({ path: 'string', type: 'string', size: 'number', modified: 'string' });
    expect(answer.entries.filter(({ path }) => path.startsWith('/.holdfast'))).toEqual([]);
  });

  test('ls of one folder lists its direct entries', async () => {
    const answer = await workplace.json<{ entries: readonly { path: string }[] }>([
      'ls',
      'documents',
      `${source}/folder`,
    ]);
    expect(answer.entries.map(({ path }) => path)).toEqual([`${source}/folder/b.txt`]);
  });

  test('restore of everything and of single paths', async () => {
    const answer = await workplace.json(['restore', 'documents', '--to', workplace.path('to')]);
    expect(shapeOf(answer)).toMatchObject({
      files_restored: 'number',
      files_skipped: 'number',
      bytes_written: 'number',
      bytes_downloaded: 'number',
      failures: 'array',
      warnings: 'array',
    });
    // The number equals that of the backup.
    expect(answer).toMatchObject({ files_restored: 2, files_skipped: 0, bytes_written: 13 });
    const words = ['restore', 'documents', '--path', `${source}/folder`, '--path', `${source}/a.txt`];
    const some = await workplace.json([...words, '--to', workplace.path('some')]);
    expect(some).toMatchObject({ files_restored: 2, bytes_written: 13, failures: [] });
  });

  test('verify', async () => {
    expect(shapeOf(await workplace.json(['verify', 'documents']))).toMatchObject({
      files_checked: 'number',
      chunks_checked: 'number',
      failures: 'array',
    });
  });

  test('status and report say whether signs of ransomware stand', async () => {
    expect(await workplace.json(['status'])).toMatchObject({
      sets: [{ alarm: null }],
      destinations: [{ removals_held_since: null, sets: [{ alarm: null }] }],
    });
    expect(await workplace.json(['report'])).toMatchObject({ destinations: [{ sets: [{ alarm: null }] }] });
  });

  test('key export prints the same phrase again', async () => {
    expect(JSON.stringify(await workplace.json(['key', 'export']))).toContain(phrase);
  });

  test.each([
    ['status'],
    ['devices'],
    ['set', 'list'],
    ['set', 'show', 'documents'],
    ['backup', 'documents', '--dry-run'],
  ])('%s %s prints one object', async (...words) => {
    const { stdout, status } = await workplace.run(...words.filter((word) => word !== undefined), '--json');
    expect(status).toBe(0);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(stdout)).toBeTypeOf('object');
  });

  test('progress as JSON is printed to stderr, one object per line', async () => {
    const { stdout, stderr } = await workplace.run('backup', 'documents', '--rehash', '--json', '--progress', 'json');
    expect(JSON.parse(stdout)).toHaveProperty('restore_point');
    const lines = stderr.trimEnd().split('\n');
    expect(lines.map((line) => typeof JSON.parse(line))).toEqual(lines.map(() => 'object'));
  });
});

describe('exit codes', () => {
  const workplace = new Workplace();
  const source = workplace.path('source');
  afterAll(() => workplace[Symbol.dispose]());

  beforeAll(async () => {
    await buildTree(source, { 'a.txt': file('a') });
    await workplace.setUp();
    await workplace.addSet('documents', source);
    await workplace.json(['backup', 'documents']);
  });

  test.each([
    ['no command', []],
    ['an unknown command', ['backups']],
    ['an unknown option', ['backup', 'documents', '--fast']],
    ['a missing argument', ['backup']],
    ['a restore to nowhere', ['restore', 'documents']],
    ['an unknown way to meet a conflict', ['restore', 'documents', '--to', 'x', '--conflict', 'maybe']],
    ['a sample above all', ['verify', 'documents', '--sample', '101']],
    ['no time', ['restore', 'documents', '--to', 'x', '--at', 'whenever']],
  ])('%s exits with 2', async (_, words) => {
    const { status, stdout, stderr } = await workplace.run(...words);
    expect(status).toBe(2);
    expect(stdout).toBe('');
    expect(isPlainMessage(stderr)).toBe(true);
  });

  test('help exits with 0', async () => {
    const { status, stdout } = await workplace.run('--help');
    expect(status).toBe(0);
    expect(stdout).toContain('restore');
  });

  test('a run that skips files exits with 3 and names them', async () => {
    const [odd, gone] = [workplace.path('odd'), workplace.path('gone')];
    await buildTree(odd, { 'a.txt': file('a') });
    await buildTree(gone, { 'b.txt': file('b') });
    await workplace.addSet('odd', odd, gone);
    await workplace.json(['backup', 'odd']);
    rmSync(gone, { recursive: true });
    const { status, stderr } = await workplace.run('backup', 'odd');
    expect(status).toBe(3);
    expect(stderr).toContain(gone);
  });

  test('a pipe is named in a note, and the run exits with 0', async () => {
    const piped = workplace.path('piped');
    await buildTree(piped, { pipe: fifo, 'a.txt': file('a') });
    await workplace.addSet('piped', piped);
    expect(await workplace.json(['backup', 'piped'])).toMatchObject({
      warnings: [],
      notes: [{ path: `${piped}/pipe`, reason: 'special-file' }],
    });
  });

  test('a home without setup exits with 2', async () => {
    const { status, stderr } = await workplace.runAt(workplace.path('new home'), ['backup', 'documents']);
    expect(status).toBe(2);
    expect(stderr).toContain('setup');
  });

  test('a second backup on the same home names the first and exits with 5', async () => {
    await using held = await HeldBackup.start();
    const second = await held.workplace.run('backup', 'small');
    expect(second.status).toBe(5);
    expect(second.stderr).toContain(String(held.backup.child.pid));
    held.release();
    expect((await held.backup.ended).status).toBe(0);
  });

  test('Ctrl-C exits with 130, and the next run continues', async () => {
    await using held = await HeldBackup.start();
    held.backup.child.kill('SIGINT');
    const { status, stdout } = await held.backup.ended;
    expect(status).toBe(130);
    expect(JSON.parse(stdout)).toHaveProperty('error.code', 'interrupted');
    held.release();
    await held.workplace.json(['backup', 'large']);
  });

  test.skipIf(!CAN_SIGN_IN)('a wrong password or code exits with 4', async () => {
    const data = workplace.path('data');
    const account = await createAccount(workplace, data, 'anna@example.org');
    await using server = await Server.start(workplace, data);
    const wrongPassword = workplace.write('wrong password', 'wrong\n');
    const setup = ['setup', '--server', server.address, '--email', account.email];
    const home = workplace.path('signed in home');
    for (const credentials of [
      ['--password-file', wrongPassword, '--code', codeOf(account)],
      ['--password-file', account.passwordFile, '--code', '000000'],
      ['--password-file', account.passwordFile],
    ]) {
      const { status, stderr } = await workplace.runAt(home, [...setup, ...credentials]);
      expect(status).toBe(4);
      expect(isPlainMessage(stderr)).toBe(true);
    }
    // None of these sets the home up, so a correct setup still finds it empty.
    const right = ['--password-file', account.passwordFile, '--code', codeOf(account), '--device-name', 'laptop'];
    expect((await workplace.runAt(home, [...setup, ...right, '--json'])).status).toBe(0);
  });
});

/** A backup of the set `large`, whose uploads the service holds. There is also a set `small`. */
class HeldBackup implements AsyncDisposable {
  readonly workplace = new Workplace();
  readonly #service: HttpService;
  #backup: Running | undefined;

  private constructor(service: HttpService) {
    this.#service = service;
  }

  static async start(): Promise<HeldBackup> {
    const service = await HttpService.open();
    const held = new HeldBackup(service);
    try {
      await held.#begin();
      return held;
    } catch (error) {
      await held[Symbol.asyncDispose]();
      throw error;
    }
  }

  get backup(): Running {
    return this.#backup!;
  }

  release(): void {
    this.#service.releaseUploads();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#backup?.child.kill('SIGKILL');
    await this.#backup?.ended;
    await this.#service.close();
    this.workplace[Symbol.dispose]();
  }

  async #begin(): Promise<void> {
    const password = this.workplace.write('password', ANNA.password);
    const account = ['--email', ANNA.email, '--password-file', password, '--code', this.#service.code()];
    await this.workplace.json(['setup', '--server', this.#service.url, ...account, '--device-name', 'laptop']);
    this.#service.setBack();
    await buildTree(this.workplace.path('sources'), {
      large: directory({ 'a.bin': file({ seed: 5, size: 3_000_000 }) }),
      small: directory({ 'a.txt': file('a') }),
    });
    for (const set of ['large', 'small']) await this.workplace.addSet(set, this.workplace.path('sources', set));
    this.#service.holdUploads();
    this.#backup = this.workplace.start(['backup', 'large', '--json']);
    await expect.poll(() => this.#service.heldUploads, { timeout: 60_000 }).toBeGreaterThan(0);
  }
}

/** Maps names to the types of their values. */
function shapeOf(object: object): Readonly<Record<string, string>> {
  const kinds = Object.entries(object).map(([name, value]) => [name, Array.isArray(value) ? 'array' : typeof value]);
  return Object.fromEntries(kinds) as Readonly<Record<string, string>>;
}
