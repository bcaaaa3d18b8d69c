import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readEnvelope } from '../../../src/format/crypto/key-envelope.ts';
import { Workplace, type Ended } from '../e2e/workplace.ts';
import { buildTree } from '../../helpers/tree/build.ts';
import { compareTrees } from '../../helpers/tree/compare.ts';
import { file } from '../../helpers/tree/nodes.ts';

interface SetupAnswer {
  readonly recovery_phrase: string;
  readonly device_id: string;
  readonly adopted: boolean;
  readonly backup_sets: readonly { readonly device_id: string; readonly name: string }[];
}

describe('a folder with backups', () => {
  let workplace: Workplace;
  let first: SetupAnswer;

  /** Runs a command with `--json` on another home. */
  async function elsewhere(...words: string[]): Promise<{ status: number | null; answer: unknown }> {
    const { status, stdout }: Ended = await workplace.runAt(workplace.path('home 2'), [...words, '--json']);
    return { status, answer: JSON.parse(stdout) };
  }

  beforeEach(async () => {
    workplace = new Workplace();
    await buildTree(workplace.path('source'), { 'a.txt': file('content') });
    const passphrase = workplace.write('passphrase', 'a long sentence that I remember\n');
    first = await workplace.json<SetupAnswer>([
      'setup',
      '--destination',
      workplace.destination,
      '--passphrase-file',
      passphrase,
    ]);
    await workplace.addSet('documents', workplace.path('source'));
    await workplace.json(['backup', 'documents']);
  });
  afterEach(() => workplace[Symbol.dispose]());

  test('makes each guess at its passphrase costly', () => {
    const [name = ''] = readdirSync(join(workplace.destination, 'keys'));
    const { slots } = readEnvelope(readFileSync(join(workplace.destination, 'keys', name)));
    expect(slots).toMatchObject([{ kind: 'passphrase', cost: { memoryKib: 262_144, iterations: 3, parallelism: 1 } }]);
  });

  test.each([
    ['its recovery phrase', () => ['--recovery-phrase-file', workplace.write('phrase', first.recovery_phrase)]],
    ['its passphrase alone', () => ['--passphrase-file', workplace.path('passphrase')]],
  ])('is adopted with %s as a new device', async (_name, key) => {
    const { status, answer } = await elsewhere('setup', '--destination', workplace.destination, ...key());
    expect(status).toBe(0);
    expect(answer).toMatchObject({
      recovery_phrase: first.recovery_phrase,
      adopted: true,
      backup_sets: [{ device_id: first.device_id, name: 'documents' }],
    });
    expect((answer as SetupAnswer).device_id).not.toBe(first.device_id);

    const restored = await elsewhere('restore', 'documents', '--to', workplace.path('target'));
    expect(restored.status).toBe(0);
    expect(await compareTrees(workplace.path('source'), workplace.path('target/source'))).toEqual([]);
  });

  test('is continued as the same device under the same set', async () => {
    const phrase = workplace.write('phrase', first.recovery_phrase);
    const words = ['setup', '--destination', workplace.destination, '--device-id', first.device_id];
    const { status, answer } = await elsewhere(...words, '--recovery-phrase-file', phrase);
    expect({ status, device: (answer as SetupAnswer).device_id }).toEqual({ status: 0, device: first.device_id });
    expect((await elsewhere('set', 'add', 'documents', workplace.path('source'))).status).toBe(0);
    expect(await elsewhere('backup', 'documents')).toMatchObject({ status: 0, answer: { warnings: [] } });
    const { answer: listed } = await elsewhere('points', 'documents');
    expect((listed as { points: unknown[] }).points).toHaveLength(2);
  });

  test('lists the known devices for an unknown one', async () => {
    const phrase = workplace.write('phrase', first.recovery_phrase);
    const words = ['setup', '--destination', workplace.destination, '--device-id', 'dev_other'];
    const { status, answer } = await elsewhere(...words, '--recovery-phrase-file', phrase);
    expect(status).toBe(2);
    expect((answer as { error: { message: string } }).error.message).toContain(first.device_id);
  });

  test('rejects a wrong passphrase and creates nothing', async () => {
    const wrong = workplace.write('wrong', 'another sentence');
    const refused = await elsewhere('setup', '--destination', workplace.destination, '--passphrase-file', wrong);
    expect(refused).toMatchObject({ status: 4, answer: { error: { code: 'passphrase_wrong' } } });
    expect(existsSync(workplace.path('home 2'))).toBe(false);
    expect(await workplace.json(['devices'])).toMatchObject({ devices: [{ id: first.device_id }] });
  });
});

describe('a folder to store in', () => {
  let workplace: Workplace;
  beforeEach(() => {
    workplace = new Workplace();
  });
  afterEach(() => workplace[Symbol.dispose]());

  test('is created relative to the working directory', async () => {
    await workplace.json(['setup', '--destination', './some/where']);
    expect(await workplace.json(['status'])).toMatchObject({
      destination: { kind: 'folder', directory: workplace.path('some/where') },
      keys: 'file',
      sets: [],
    });
  });

  test('is refused and not changed when it has other contents', async () => {
    mkdirSync(workplace.destination);
    writeFileSync(`${workplace.destination}/mine.txt`, 'mine');
    expect(await workplace.json(['setup', '--destination', workplace.destination], 2)).toMatchObject({
      error: { code: 'usage' },
    });
    expect(readdirSync(workplace.destination)).toEqual(['mine.txt']);
    expect(existsSync(workplace.home)).toBe(false);
  });

  test('is refused when it is a file', async () => {
    const refused = await workplace.run('setup', '--destination', workplace.write('plain file', ''), '--json');
    expect([1, 2]).toContain(refused.status);
    expect(JSON.parse(refused.stdout)).not.toMatchObject({ error: { code: 'internal' } });
    expect(existsSync(workplace.home)).toBe(false);
  });

  test('can be chosen once for a home', async () => {
    await workplace.setUp();
    const answer = await workplace.json(['setup', '--destination', workplace.path('other')], 2);
    expect(answer).toMatchObject({ error: { code: 'already_set_up' } });
    expect(existsSync(workplace.path('other'))).toBe(false);
  });

  test('belongs to the key of the home that chose it first, before any backup', async () => {
    await buildTree(workplace.path('source'), { 'a.txt': file('content') });
    const at = (home: string, ...words: string[]): Promise<Ended> =>
      workplace.runAt(workplace.path(home), [...words, '--json']);
    const phrase = await workplace.setUp();
    const elsewhere = await at('home 3', 'setup', '--destination', workplace.path('elsewhere'));
    const { recovery_phrase: other } = JSON.parse(elsewhere.stdout) as SetupAnswer;
    const before = readdirSync(workplace.destination, { recursive: true });
    const setup = ['setup', '--destination', workplace.destination];
    for (const [code, words] of [
      ['phrase_needed', []],
      ['phrase_other_account', ['--recovery-phrase-file', workplace.write('other', other)]],
    ] as const) {
      const refused = await at('home 2', ...setup, ...words);
      expect(refused.status).toBe(4);
      expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code } });
    }
    expect(existsSync(workplace.path('home 2'))).toBe(false);
    expect(readdirSync(workplace.destination, { recursive: true })).toEqual(before);

    const adopted = await at('home 2', ...setup, '--recovery-phrase-file', workplace.write('phrase', phrase));
    expect(adopted.status).toBe(0);
    expect(JSON.parse(adopted.stdout)).toMatchObject({ adopted: true, backup_sets: [] });
    await workplace.addSet('documents', workplace.path('source'));
    await workplace.json(['backup', 'documents']);
    expect((await at('home 2', 'set', 'add', 'photos', workplace.path('source'))).status).toBe(0);
    expect((await at('home 2', 'backup', 'photos')).status).toBe(0);
  });

  test('is excluded, with the home, from a backup of a folder above', async () => {
    await workplace.setUp();
    await buildTree(workplace.path('documents'), { 'a.txt': file('content') });
    const added = await workplace.json<{ passed_over: string[] }>(['set', 'add', 'all', workplace.folder]);
    expect(added.passed_over.sort()).toEqual([workplace.destination, workplace.home].sort());
    await workplace.json(['backup', 'all']);
    const { entries } = await workplace.json<{ entries: { path: string }[] }>(['ls', 'all', '--recursive']);
    const paths = entries.map(({ path }) => path);
    expect(paths).toContain(workplace.path('documents/a.txt'));
    expect(paths.filter((path) => /\/(home|destination)(\/|$)/.test(path.slice(workplace.folder.length)))).toEqual([]);
  });
});
