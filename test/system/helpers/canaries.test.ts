import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Canaries } from '../../helpers/canaries.ts';

const KEY = randomBytes(32);
const canaries = new Canaries();
canaries.add('key', KEY);
canaries.add('password', 'correct horse battery');

describe('a planted secret is found', () => {
  test.each([
    ['as it is', KEY],
    ['in hex', Buffer.from(`key=${KEY.toString('hex')}`)],
    ['in base64', Buffer.from(KEY.toString('base64'))],
    [
      'in base64 after one byte',
      Buffer.from(Buffer.concat([Buffer.from('a'), KEY, Buffer.from('b')]).toString('base64')),
    ],
    [
      'in base64url after two',
      Buffer.from(Buffer.concat([Buffer.from('ab'), KEY, Buffer.from('b')]).toString('base64url')),
    ],
  ])('%s', (_form, bytes) => {
    expect(canaries.in(bytes)).toEqual(['key']);
  });

  test('as text of two bytes a character', () => {
    expect(canaries.in(Buffer.from('a correct horse battery', 'utf16le'))).toEqual(['password']);
  });

  test('in files, but for those that may contain it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-canaries-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'a'));
    for (const name of ['a/log', 'secrets.json']) writeFileSync(join(folder, name), KEY);
    expect(canaries.below(folder, /secrets\.json$/)).toEqual(['a/log: key']);
  });

  describe('in a file that was searched before', () => {
    /** A file that is old enough to be skipped unless it changes, and that was searched. */
    async function searchedFile(content: Uint8Array | string, by: Canaries): Promise<{ folder: string; file: string }> {
      const folder = mkdtempSync(join(tmpdir(), 'holdfast-canaries-'));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const file = join(folder, 'log');
      writeFileSync(file, content);
      await isOld(file);
      expect(by.below(folder, /^$/)).toEqual([]);
      return { folder, file };
    }

    async function isOld(file: string): Promise<void> {
      await expect.poll(() => Date.now() - statSync(file).ctimeMs).toBeGreaterThan(500);
    }

    test('and has changed', async () => {
      const { folder, file } = await searchedFile(randomBytes(KEY.length), canaries);
      writeFileSync(file, KEY);
      await isOld(file);
      expect(canaries.below(folder, /^$/)).toEqual(['log: key']);
      expect(canaries.below(folder, /^$/)).toEqual(['log: key']);
    });

    test('for other secrets', async () => {
      const other = new Canaries();
      const { folder } = await searchedFile('of a later secret', other);
      other.add('later', 'later secret');
      expect(other.below(folder, /^$/)).toEqual(['log: later']);
    });
  });

  test.skipIf(process.platform !== 'linux')('in the environment of a child', async () => {
    const child = spawn('sh', ['-c', 'echo; sleep 60'], {
      env: { PATH: process.env['PATH'], P: 'correct horse battery' },
    });
    onTestFinished(() => void child.kill());
    await new Promise((resolve) => child.stdout.once('data', resolve));
    expect(canaries.ofProcesses(process.pid)).toContain('environ of a process: password');
  });
});

test('nothing is found where there is none', () => {
  expect(canaries.in(randomBytes(100_000))).toEqual([]);
});
