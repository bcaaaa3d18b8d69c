import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npmCommand } from '../npm.ts';
import { run } from '../package/run.ts';

/** What must not change the result. */
export interface Surroundings {
  /** Of the folder. */
  readonly name: string;
  readonly umask: string;
  readonly environment: NodeJS.ProcessEnv;
}

export const USUAL: Surroundings = { name: 'checkout', umask: '022', environment: {} };

/** A second checkout of a commit, with its packages, in which a release is built: the first one stays as it is until everything is done. */
export class Worktree implements Disposable {
  readonly folder: string;
  readonly #root: string;
  readonly #parent: string;
  readonly #umask: string;
  readonly #environment: NodeJS.ProcessEnv;

  private constructor(root: string, parent: string, { name, umask, environment }: Surroundings) {
    this.#root = root;
    this.#parent = parent;
    this.#umask = umask;
    this.folder = join(parent, name);
    // Npm tells the programs that it starts where it runs, which is not there.
    const others = Object.entries(process.env).filter(
      ([variable]) => !/^(?:npm_(?!config_)|npm_config_local_prefix$|INIT_CWD$|GIT_)/.test(variable),
    );
    this.#environment = { ...Object.fromEntries(others), ...environment };
  }

  static add(root: string, commit: string, surroundings: Surroundings = USUAL): Worktree {
    const tree = new Worktree(root, mkdtempSync(join(tmpdir(), 'holdfast-release-')), surroundings);
    run('git', ['worktree', 'add', '--quiet', '--detach', tree.folder, commit], { cwd: root });
    return tree;
  }

  git(...words: readonly string[]): string {
    return run('git', words, { cwd: this.folder }).trim();
  }

  npm(...words: readonly string[]): string {
    const script = `umask ${this.#umask} && exec "$@"`;
    try {
      return run('sh', ['-c', script, 'sh', ...npmCommand(), '--loglevel=error', ...words], {
        cwd: this.folder,
        env: this.#environment,
      });
    } catch (error) {
      throw new Error(`npm ${words.join(' ')} has failed`, { cause: error });
    }
  }

  [Symbol.dispose](): void {
    rmSync(this.#parent, { recursive: true, force: true });
    run('git', ['worktree', 'prune'], { cwd: this.#root });
  }
}
