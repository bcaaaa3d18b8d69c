import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { masterKeyOf } from '../../src/format/crypto/recovery-phrase.ts';
import { Canaries } from '../helpers/canaries.ts';
import { ELECTRON, ElectronFixture } from './electron-fixture.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/holdfast');
/** Where secrets are kept. */
const ALLOWED = /(?:^|\/)secrets\.json(?:\.\d+\.new)?$/;

describe.skipIf(!ELECTRON)('secrets in Electron', () => {
  let folder: string;
  let electron: ElectronFixture;
  let words: readonly string[];
  const canaries = new Canaries();
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-canaries-'));
    const env = { PATH: process.env['PATH'], HOME: folder, HOLDFAST_HOME: join(folder, 'holdfast') };
    const cli = (...given: readonly string[]): string => execFileSync(PROGRAM, given, { env, encoding: 'utf8' });
    mkdirSync(join(folder, 'source'));
    writeFileSync(join(folder, 'source/letter'), 'Dear Anna');
    const made = JSON.parse(cli('setup', '--destination', join(folder, 'backups'), '--print-json')) as {
      readonly recovery_phrase: string;
    };
    const phrase = made.recovery_phrase;
    words = phrase.split(' ');
    canaries.add('phrase', phrase);
    canaries.add('phrase as JSON', JSON.stringify(words).slice(1, -1));
    canaries.add('master key', masterKeyOf(phrase));
    cli('set', 'add', 'letters', join(folder, 'source'), '--exclude', '!*');
    electron = await ElectronFixture.open({ folder });
  }, 240_000);
  afterAll(async () => {
    await electron?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The page's whole memory, as its debugger sees it. */
  async function heap(): Promise<string> {
    const page = await electron.window();
    const session = await page.context().newCDPSession(page);
    const parts: string[] = [];
    session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => parts.push(chunk));
    await session.send('HeapProfiler.collectGarbage');
    await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
    await session.detach();
    return parts.join('');
  }

  /** Words of the phrase that are strings of their own in a snapshot. */
  function wordsIn(snapshot: string): number {
    const { strings } = JSON.parse(snapshot) as { readonly strings: readonly string[] };
    const there = new Set(strings);
    return words.filter((word) => there.has(word)).length;
  }

  test('are not in the page, its diagnostics, the processes or the files of the app', async () => {
    const page = await electron.window();
    const text = page
      .getByText(/Last backup/)
      .or(page.getByText('letters'))
      .first();
    await text.waitFor();
    await electron.ask('runs.backup', { set: 'letters' });
    const diagnostics = JSON.stringify(await electron.ask('diagnostics.text'));
    expect(diagnostics).toContain('processors');
    const before = await heap();
    expect(canaries.in(before)).toEqual([]);
    expect(wordsIn(before)).toBeLessThan(words.length / 2);
    expect(canaries.in(diagnostics)).toEqual([]);
    expect(canaries.in(electron.output)).toEqual([]);
    expect(canaries.ofProcesses(electron.app.process().pid!)).toEqual([]);
    expect(canaries.below(folder, ALLOWED)).toEqual([]);
    // What is searched for can be found.
    await page.evaluate((planted) => Object.assign(globalThis, { planted }), { key: words.join(' '), words });
    const after = await heap();
    expect(canaries.in(after)).toContain('phrase');
    expect(wordsIn(after)).toBe(words.length);
  });

  test('are in no dump after the app and its window have crashed', async () => {
    const page = await electron.window();
    const crashed = page.waitForEvent('crash');
    await electron.app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]!.webContents.forcefullyCrashRenderer(),
    );
    await crashed;
    const { app } = electron;
    const ended = once(app.process(), 'exit');
    app.process().kill('SIGSEGV');
    await ended;
    expect(canaries.below(folder, ALLOWED)).toEqual([]);
    const dumps = readdirSync(folder, { recursive: true })
      .map(String)
      .filter((name) => /\.dmp$|(?:^|\/)core(?:\.\d+)?$/.test(name));
    expect(dumps).toEqual([]);
  });
});
