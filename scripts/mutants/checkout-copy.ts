import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { outcomeOf, type Outcome, type Report } from './verdict.ts';

/** Longest run of one test file, in milliseconds. A change may make a loop endless, which no limit within the run ends. */
const LONGEST_RUN = 20 * 60_000;

/** Groups of the processes that are running. */
const groups = new Set<number>();

/** Ends every test that is running, with all its processes. */
export function killTests(): void {
  for (const group of groups) {
    try {
      process.kill(-group, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  }
}

/** A copy of the checkout's files, changes that are not committed included, in which one test file runs at a time. */
export class CheckoutCopy {
  private readonly folder: string;

  /** @param folder is created */
  constructor(checkout: string, folder: string) {
    this.folder = folder;
    const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
      cwd: checkout,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    for (const file of listed.split('\0')) {
      if (file === '' || !existsSync(join(checkout, file))) continue;
      cpSync(join(checkout, file), join(folder, file), { recursive: true, verbatimSymlinks: true });
    }
    // A repository of its own: builds take the time of the newest commit.
    const identity = ['-c', 'user.name=mutants', '-c', 'user.email=mutants@localhost'];
    for (const words of [
      ['init', '--quiet'],
      ['add', '--all'],
      [...identity, 'commit', '--quiet', '--message', 'copy'],
    ]) {
      execFileSync('git', words, { cwd: folder });
    }
    // A folder of links instead of one link: caches that tools keep in node_modules stay in the copy.
    const modules = join(folder, 'node_modules');
    mkdirSync(modules);
    for (const name of readdirSync(join(checkout, 'node_modules'))) {
      if (['.bin', '.package-lock.json'].includes(name) || !name.startsWith('.')) {
        symlinkSync(join(checkout, 'node_modules', name), join(modules, name));
      }
    }
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
  }

  /** Runs one test file, or those of its tests whose names match a pattern, up to the first failure. */
  async run(test: string, testName?: string): Promise<Outcome> {
    const reportFile = join(this.folder, 'test-results/mutants.json');
    rmSync(reportFile, { force: true });
    mkdirSync(dirname(reportFile), { recursive: true });
    const words = ['run', test, '--bail=1', '--reporter=json', `--outputFile=${reportFile}`];
    if (testName !== undefined) words.push('--testNamePattern', testName);
    const exitCode = await this.vitest(words);
    return outcomeOf(
      exitCode,
      existsSync(reportFile) ? (JSON.parse(readFileSync(reportFile, 'utf8')) as Report) : undefined,
    );
  }

  /** @returns the exit code, or `null` if a signal ended it */
  private async vitest(words: readonly string[]): Promise<number | null> {
    return await new Promise((resolve, reject) => {
      // In a group of its own, so that the programs that tests start end with it.
      const child = spawn(process.execPath, [join(this.folder, 'node_modules/vitest/vitest.mjs'), ...words], {
        cwd: this.folder,
        detached: true,
        stdio: 'ignore',
      });
      const { pid } = child;
      if (pid !== undefined) groups.add(pid);
      const limit = setTimeout(() => pid !== undefined && process.kill(-pid, 'SIGKILL'), LONGEST_RUN);
      child.once('error', reject);
      child.once('exit', (code) => {
        clearTimeout(limit);
        if (pid !== undefined) groups.delete(pid);
        resolve(code);
      });
    });
  }
}
