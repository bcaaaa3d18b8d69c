import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../../src/base/clock.ts';
import { ChangeWatcher } from '../../../../../src/archive/scan/watch/change-watcher.ts';

let root: string;
beforeEach(() => {
  root = join(mkdtempSync(join(tmpdir(), 'holdfast-watch-')), 'root');
  for (const folder of ['a/deep', 'b', 'cache', 'own']) mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, 'a/deep/file'), 'content');
});
afterEach(() => rmSync(join(root, '..'), { recursive: true, force: true }));

/** A watcher, and a way to wait for reported folders; it fails by the test's timeout. */
class Heard implements AsyncDisposable {
  #next: (() => void) | undefined;
  readonly watcher: ChangeWatcher;
  readonly #folders = new Set<string>();

  constructor(roots: readonly string[] = [root], excludes: readonly string[] = ['cache/', '*.tmp']) {
    const set = { roots, excludes, presets: [], ownFolders: [join(root, 'own')] };
    this.watcher = new ChangeWatcher(set, systemClock, () => this.#next?.());
  }

  async until(...folders: readonly string[]): Promise<ReadonlySet<string>> {
    const isReported = (folder: string): boolean => this.#folders.has(join(root, folder));
    for (;;) {
      for (const folder of this.watcher.take()?.directories ?? []) this.#folders.add(folder);
      if (folders.every(isReported)) return this.#folders;
      await new Promise<void>((resolve) => {
        this.#next = resolve;
        if (this.watcher.pending()) resolve();
      });
    }
  }

  forget(): void {
    this.#folders.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.watcher[Symbol.asyncDispose]();
  }
}

test('reports the folder of a file that is written, created, renamed or removed', async () => {
  await using heard = new Heard();
  await heard.watcher.ready;
  expect(heard.watcher.pending()).toBeUndefined();
  appendFileSync(join(root, 'a/deep/file'), 'more');
  await heard.until('a/deep');
  writeFileSync(join(root, 'b/new'), '');
  await heard.until('b');
  renameSync(join(root, 'b/new'), join(root, 'a/moved'));
  await heard.until('a');
  rmSync(join(root, 'a/moved'));
  writeFileSync(join(root, 'top'), '');
  await heard.until('.');
  expect(heard.watcher.limitation).toBeUndefined();
});

test('reports a new folder, its content and later changes in it', async () => {
  await using heard = new Heard();
  await heard.watcher.ready;
  mkdirSync(join(root, 'new/deeper'), { recursive: true });
  writeFileSync(join(root, 'new/deeper/file'), '');
  await heard.until('.', 'new', 'new/deeper');
});

test("ignores excluded folders and Holdfast's own folders", async () => {
  writeFileSync(join(root, 'b/.holdfastignore'), 'ignored/\n*.log\n');
  mkdirSync(join(root, 'b/ignored'));
  await using heard = new Heard();
  await heard.watcher.ready;
  for (const path of ['cache/x', 'own/x', 'b/ignored/x', 'b/x.log', 'a/x.tmp']) writeFileSync(join(root, path), 'x');
  // A later change was reported, so these would have been, too.
  writeFileSync(join(root, 'last'), '');
  expect([...(await heard.until('.'))]).toEqual([root]);
});

test('applies a changed ignore file', async () => {
  await using heard = new Heard();
  await heard.watcher.ready;
  writeFileSync(join(root, 'b/.holdfastignore'), '*.log\n');
  await heard.until('b');
  writeFileSync(join(root, 'between'), '');
  await heard.until('.');
  heard.forget();
  writeFileSync(join(root, 'b/x.log'), 'x');
  writeFileSync(join(root, 'last'), '');
  expect([...(await heard.until('.'))]).toEqual([root]);
});

test('accepts a missing root', async () => {
  await using heard = new Heard([join(root, 'missing')]);
  await heard.watcher.ready;
  expect(heard.watcher.limitation).toBeUndefined();
});

test('watches a root that is a file', async () => {
  await using heard = new Heard([join(root, 'a/deep/file')]);
  await heard.watcher.ready;
  appendFileSync(join(root, 'a/deep/file'), 'more');
  await heard.until('a/deep/file');
});

/** In a separate namespace a process may lower the limit without effect on others. */
const LIMITED = `
  mkdir -p "$1"/many; for number in $(seq 200); do mkdir "$1/many/$number"; done
  echo 50 > /proc/sys/user/max_inotify_watches && exec "$2" --eval "$3" "$1"`;

const SCRIPT = `
  const { ChangeWatcher } = await import(${JSON.stringify(
    new URL('../../../../../src/archive/scan/watch/change-watcher.ts', import.meta.url).href,
  )});
  const set = { roots: [process.argv[1]], excludes: [], presets: [], ownFolders: [] };
  const watcher = new ChangeWatcher(set, { now: Date.now }, () => undefined);
  await watcher.ready;
  console.log(watcher.limitation);
  process.exit(0);`;

describe.skipIf(spawnSync('unshare', ['--user', '--map-root-user', 'true']).status !== 0)('limits', () => {
  test('sets `limitation` when there are more folders than the system can watch', () => {
    const words = ['--user', '--map-root-user', 'sh', '-c', LIMITED, 'sh', root, process.execPath, SCRIPT];
    const { stdout, stderr } = spawnSync('unshare', words, { encoding: 'utf8' });
    expect(stderr + stdout).toBe('watch-limit\n');
  });
});
