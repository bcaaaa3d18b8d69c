import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Random } from '../../../helpers/random.ts';

/** A person's folder on disk. Paths are relative to it. */
export class Home {
  readonly root: string;
  readonly random: Random;

  constructor(root: string, random: Random) {
    this.root = root;
    this.random = random;
  }

  /** All files below a folder, in an order that depends on their names only. */
  files(under = '', accepts: (path: string) => boolean = () => true): string[] {
    if (!existsSync(join(this.root, under))) return [];
    return readdirSync(join(this.root, under), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.root.length + 1))
      .filter((path) => accepts(path))
      .toSorted((a, b) => (a < b ? -1 : 1));
  }

  /** Files below a folder with one of these extensions. */
  filesOf(under: string, ...extensions: readonly string[]): string[] {
    return this.files(under, (path) => extensions.some((extension) => path.endsWith(`.${extension}`)));
  }

  /** Up to `count` of the files below a folder. */
  some(count: number, under = '', accepts?: (path: string) => boolean): string[] {
    return this.random.shuffled(this.files(under, accepts)).slice(0, count);
  }

  read(path: string): Buffer {
    return readFileSync(join(this.root, path));
  }

  size(path: string): number {
    return statSync(join(this.root, path)).size;
  }

  write(path: string, content: Uint8Array): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), content);
  }

  change(path: string, how: (content: Buffer) => Uint8Array): void {
    this.write(path, how(this.read(path)));
  }

  move(from: string, to: string): void {
    mkdirSync(dirname(join(this.root, to)), { recursive: true });
    renameSync(join(this.root, from), join(this.root, to));
  }

  remove(path: string): void {
    rmSync(join(this.root, path), { recursive: true, force: true });
  }

  has(path: string): boolean {
    return existsSync(join(this.root, path));
  }

  /** Runs Git in a folder. */
  git(folder: string, ...words: readonly string[]): void {
    const identity = ['-c', 'user.name=Anna', '-c', 'user.email=anna@example.org', '-c', 'gc.auto=0'];
    execFileSync('git', ['-C', join(this.root, folder), ...identity, ...words], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', HOME: this.root },
    });
  }
}
