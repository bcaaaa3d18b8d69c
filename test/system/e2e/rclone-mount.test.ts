import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isMounted, HAS_FUSE } from '../../helpers/mount.ts';
import { Workplace } from './workplace.ts';

const HAS_RCLONE = spawnSync('rclone', ['version'], { stdio: 'ignore' }).status === 0;

/** Mounts a folder by rclone, which has neither hard links nor renames that keep what has the name. @throws if that fails */
async function mountFolder(folder: string, at: string, mode: string, cache: string): Promise<void> {
  const options = ['--vfs-cache-mode', mode, '--cache-dir', cache, '--config', '/dev/null', '--daemon'];
  const { status, stderr } = spawnSync('rclone', ['mount', `:local:${folder}`, at, ...options], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`rclone mount: ${stderr}`);
  onTestFinished(async () => {
    // A file that was just written keeps it busy for a moment.
    for (let tries = 0; tries < 50 && isMounted(at); tries += 1) {
      if (spawnSync('fusermount3', ['-u', at], { stdio: 'ignore' }).status !== 0) await wait(200);
    }
  });
}

/**
 * Runs a command. Without a cache for what is written, rclone may close a file that is being written whenever a process starts another one: what
 * failed for that is then repeated, as a person would.
 */
async function run(workplace: Workplace, mode: string, words: readonly string[]): Promise<string> {
  for (let tries = mode === 'writes' ? 1 : 8; ; tries -= 1) {
    const { status, stdout, stderr } = await workplace.run(...words, '--json');
    if (status === 0) return stdout;
    if (tries === 1 || !stdout.includes('destination_unwritable'))
      throw new Error(`${words.join(' ')}: ${status}: ${stdout}${stderr}`);
  }
}

describe.skipIf(!HAS_RCLONE || !HAS_FUSE)('a folder that rclone mounted (needs rclone and FUSE)', () => {
  test.each(['off', 'minimal', 'writes'])('holds backups with the cache mode %s', async (mode) => {
    const workplace = new Workplace();
    onTestFinished(() => workplace[Symbol.dispose]());
    const { destination } = workplace;
    for (const folder of ['stored', 'source']) mkdirSync(workplace.path(folder));
    mkdirSync(destination, { recursive: true });
    await mountFolder(workplace.path('stored'), destination, mode, workplace.path('cache'));
    writeFileSync(workplace.path('source', 'a.txt'), 'first');
    const { recovery_phrase: phrase } = JSON.parse(
      await run(workplace, mode, ['setup', '--destination', destination, '--print-json']),
    ) as { recovery_phrase: string };
    await workplace.addSet('documents', workplace.path('source'));
    await run(workplace, mode, ['backup', 'documents']);
    appendFileSync(workplace.path('source', 'a.txt'), ' and second');
    await run(workplace, mode, ['backup', 'documents']);
    const found: unknown = JSON.parse(await run(workplace, mode, ['check', '--read-data']));
    expect(found).toMatchObject({ findings: [], losses: [], restore_points: 2 });
    await run(workplace, mode, ['restore', 'documents', '--to', workplace.path('restored')]);
    expect(readFileSync(workplace.path('restored', 'source', 'a.txt'), 'utf8')).toBe('first and second');
    // With the cache, files arrive some seconds later. Without it, what the mount has stored is whole.
    if (mode === 'writes') return;
    const fresh = workplace.path('fresh home');
    const phraseFile = workplace.write('phrase', phrase);
    const setup = ['setup', '--destination', workplace.path('stored'), '--recovery-phrase-file', phraseFile];
    expect(await workplace.runAt(fresh, setup)).toMatchObject({ status: 0 });
    const { status, stdout } = await workplace.runAt(fresh, ['check', '--read-data', '--json']);
    expect({ status, found: JSON.parse(stdout) as unknown }).toMatchObject({
      status: 0,
      found: { findings: [], losses: [] },
    });
  });
});
