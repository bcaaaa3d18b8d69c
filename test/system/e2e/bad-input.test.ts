import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildTree } from '../../helpers/tree/build.ts';
import { slashedText } from '../../helpers/slashed-paths.ts';
import { copyTree } from '../../helpers/tree/copy.ts';
import { compareTrees } from '../../helpers/tree/compare.ts';
import { directory, file } from '../../helpers/tree/nodes.ts';
import { isPlainMessage, Workplace, type BackupAnswer, type Ended } from './workplace.ts';

const MEBIBYTE = 1024 * 1024;

/** Mistakes of users, and failures of their environment. Each prints a sentence, sets the exit code and changes nothing. */
describe('bad input', () => {
  const workplace = new Workplace();
  const source = workplace.path('source');
  const kept = workplace.path('kept');
  const target = workplace.path('target');
  let backup: BackupAnswer;
  let points: unknown;
  afterAll(() => workplace[Symbol.dispose]());

  beforeAll(async () => {
    await buildTree(source, {
      'a.txt': file('content'),
      folder: directory({ 'large.bin': file({ seed: 3, size: 3 * MEBIBYTE }) }),
    });
    copyTree(source, kept);
    await workplace.setUp();
    await workplace.addSet('documents', source);
    backup = await workplace.json<BackupAnswer>(['backup', 'documents']);
    points = await workplace.json(['points', 'documents']);
  });

  async function expectRefusal(ended: Ended, status: number, ...says: readonly string[]): Promise<void> {
    expect({ status: ended.status, stderr: ended.stderr }).toEqual({
      status,
      stderr: expect.stringMatching(/^holdfast: /m),
    });
    expect(isPlainMessage(ended.stderr)).toBe(true);
    for (const text of says) expect(slashedText(ended.stderr)).toContain(text);
    expect(ended.stdout).toBe('');
    expect(await compareTrees(kept, source)).toEqual([]);
    expect(await workplace.json(['points', 'documents'])).toEqual(points);
    expect(existsSync(target)).toBe(false);
  }

  test('an unknown set', async () => {
    await expectRefusal(await workplace.run('backup', 'documemts'), 2, 'documemts', 'documents');
    await expectRefusal(await workplace.run('restore', 'documemts', '--to', target), 2, 'documemts');
  });

  test('a path that is not in the restore point', async () => {
    await expectRefusal(await workplace.run('ls', 'documents', '/no/such'), 2, '/no/such');
    const words = ['restore', 'documents', '--path', `${source}/a.tx`, '--to', target];
    await expectRefusal(await workplace.run(...words), 2, `${source}/a.tx`);
  });

  test('a time before the first restore point; the nearest is named', async () => {
    const words = ['restore', 'documents', '--at', '2001-02-03T04:05:06Z', '--to', target];
    const ended = await workplace.run(...words);
    await expectRefusal(ended, 2, backup.restore_point.slice(0, 16));
  });

  test('a phrase with a wrong checksum, and one with an unknown word', async () => {
    const words = wordlist.slice(0, 24).join(' ');
    for (const [wrong, says] of [
      [words, 'one is wrong or out of order'],
      [words.replace(wordlist[3]!, 'holdfast'), 'recovery phrase'],
    ] as const) {
      const phrase = workplace.write('wrong phrase', wrong);
      const setup = ['setup', '--destination', workplace.path('elsewhere'), '--recovery-phrase-file', phrase];
      await expectRefusal(await workplace.runAt(workplace.path('home 2'), setup), 4, says);
      expect(existsSync(workplace.path('elsewhere'))).toBe(false);
    }
  });

  test('a phrase of another account, and no phrase, at a destination with backups', async () => {
    const phrase = workplace.write('other phrase', entropyToMnemonic(new Uint8Array(32).fill(7), wordlist));
    const setup = ['setup', '--destination', workplace.destination];
    const other = [...setup, '--recovery-phrase-file', phrase];
    await expectRefusal(await workplace.runAt(workplace.path('home 3'), other), 4, 'phrase');
    await expectRefusal(await workplace.runAt(workplace.path('home 4'), setup), 4, '--recovery-phrase-file');
  });

  test('an unreachable service', async () => {
    const key = workplace.write('device key', 'abc\n');
    const setup = ['setup', '--server', 'http://127.0.0.1:1', '--device-id', 'd', '--device-key-file', key];
    await expectRefusal(await workplace.runAt(workplace.path('home 5'), setup), 1, '127.0.0.1');
  });

  test('a service that returns HTML', async () => {
    const page = createServer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hi</h1>'),
    );
    page.listen(0, '127.0.0.1');
    await once(page, 'listening');
    const address = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
    const key = workplace.write('device key', 'abc\n');
    const setup = ['setup', '--server', address, '--device-id', 'd', '--device-key-file', key];
    await expectRefusal(await workplace.runAt(workplace.path('home 6'), setup), 1, address, 'text/html');
    page.close();
  });

  test('a target inside the source', async () => {
    const ended = await workplace.run('restore', 'documents', '--to', workplace.path('source', 'folder', 'here'));
    await expectRefusal(ended, 2, source);
  });

  test('a target with conflicts: lists all of them and writes nothing', async () => {
    const occupied = workplace.path('occupied');
    await buildTree(occupied, { source: directory({ 'a.txt': file('mine') }) });
    copyTree(occupied, workplace.path('occupied before'));
    await expectRefusal(await workplace.run('restore', 'documents', '--to', occupied), 1, 'a.txt', '--conflict');
    expect(await compareTrees(workplace.path('occupied before'), occupied)).toEqual([]);
  });

  test('a missing or suddenly empty source is not recorded as a mass deletion', async () => {
    const vanishing = workplace.path('vanishing');
    await buildTree(vanishing, { 'a.txt': file('a') });
    await workplace.addSet('vanishing', vanishing);
    await workplace.json(['backup', 'vanishing']);
    const before = await workplace.json(['points', 'vanishing']);
    renameSync(`${vanishing}/a.txt`, workplace.path('a.txt'));
    await expectRefusal(await workplace.run('backup', 'vanishing'), 1, vanishing, '--allow-empty');
    renameSync(vanishing, workplace.path('elsewhere now'));
    await expectRefusal(await workplace.run('backup', 'vanishing'), 1, vanishing);
    expect(await workplace.json(['points', 'vanishing'])).toEqual(before);
    mkdirSync(vanishing);
    await workplace.json(['backup', 'vanishing', '--allow-empty']);
  });

  test('one missing folder of several is left out and kept, and may be optional', async () => {
    const [here, away, aside] = ['here', 'away', 'aside'].map((name) => workplace.path(name));
    await buildTree(here!, { 'a.txt': file('a') });
    await buildTree(away!, { 'b.txt': file('b') });
    await workplace.json(['set', 'add', 'two', here!, away!]);
    await workplace.json(['backup', 'two']);
    renameSync(away!, aside!);
    const answer = await workplace.json(['backup', 'two'], 3);
    expect(answer).toMatchObject({ files_processed: 2, warnings: [{ path: away, reason: 'folder-missing' }] });
    const restored = workplace.path('restored two');
    await workplace.json(['restore', 'two', '--to', restored]);
    expect(await compareTrees(`${restored}/away`, aside!)).toEqual([]);
    renameSync(aside!, away!);
    await workplace.json(['set', 'add', 'optional', here!, away!, '--optional', away!]);
    await workplace.json(['backup', 'optional']);
    renameSync(away!, aside!);
    expect(await workplace.json(['backup', 'optional'])).toMatchObject({ files_processed: 2, warnings: [] });
  });

  describe.skipIf(process.getuid?.() !== 0)('disks (as root, which can mount)', () => {
    const disk = workplace.path('disk');
    beforeEach(() => mkdirSync(disk, { recursive: true }));

    function mount(options: string): Disposable {
      const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'holdfast-test', disk], {
        encoding: 'utf8',
      });
      if (status !== 0) throw new Error(stderr);
      return { [Symbol.dispose]: () => void spawnSync('umount', ['-l', disk]) };
    }

    test('a full disk at the restore target', async () => {
      using _ = mount('size=2m');
      await expectRefusal(await workplace.run('restore', 'documents', '--to', `${disk}/to`), 1, disk, 'space');
    });

    test('a target that is read-only', async () => {
      using _ = mount('size=8m,ro');
      await expectRefusal(await workplace.run('restore', 'documents', '--to', `${disk}/to`), 1, disk);
      expect(readdirSync(disk)).toEqual([]);
    });

    test('a full disk at the destination: the next run succeeds once there is space', async () => {
      using _ = mount('size=4m');
      const home = workplace.path('home on the disk');
      const run = (...words: readonly string[]): Promise<Ended> => workplace.runAt(home, words);
      const big = workplace.path('big');
      await buildTree(big, { 'large.bin': file({ seed: 4, size: 12 * MEBIBYTE }) });
      expect((await run('setup', '--destination', `${disk}/destination`)).status).toBe(0);
      expect((await run('set', 'add', 'big', big)).status).toBe(0);
      await expectRefusal(await run('backup', 'big'), 1, 'space', disk);
      expect((await run('points', 'big', '--json')).stdout).toBe('{"points":[]}\n');
      spawnSync('mount', ['-o', 'remount,size=64m', disk]);
      expect((await run('backup', 'big')).status).toBe(0);
      expect((await run('verify', 'big')).status).toBe(0);
    });
  });
});
