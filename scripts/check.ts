/**
 * `npm run check [-- --once]`: all static checks. Every step runs, so that one run shows all
 * problems; the exit code is 1 if any step found one. `--once` writes no build info for a next run.
 */
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { performance } from 'node:perf_hooks';
import pLimit from 'p-limit';

interface Step {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
}

/** The folders with a tsconfig that take longest, longest last. They are checked first, so that no core is idle at the end. */
const LONGEST = ['src/renderer', 'src', '.'];

const root = dirname(import.meta.dirname);
const isOnce = process.argv.includes('--once');
const folders = globSync(['tsconfig.json', 'src/**/tsconfig.json'], { cwd: root })
  .map((file) => dirname(file).replaceAll(sep, '/'))
  .toSorted((one, other) => LONGEST.indexOf(other) - LONGEST.indexOf(one));

const steps: readonly Step[] = [
  { name: 'lint', command: ['oxlint', '--quiet', '--format=unix'] },
  // Compiled texts, which git does not have, use code, too.
  { name: 'dead code', command: ['knip', '--no-progress', '--no-gitignore'] },
  ...folders.map((folder): Step => ({
    name: `types of ${folder === '.' ? 'tests' : folder}`,
    // Each of the four checkers that run by default resolves the shared types again, which doubles the processor time.
    command: ['tsc', '-p', folder, '--singleThreaded', ...(isOnce ? [] : buildInfo(folder))],
  })),
  { name: 'format', command: ['oxfmt', '--check', '.'] },
];

const limit = pLimit(availableParallelism());
const results = await Promise.all(steps.map((step) => limit(async () => ({ step, passed: await passes(step) }))));
const failed = results.filter(({ passed }) => !passed).map(({ step }) => step);
console.log(
  failed.length === 0 ? '\nEverything is in order.' : `\nNot in order: ${failed.map(({ name }) => name).join(', ')}.`,
);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Returns the options that keep the outcome, with which a second check takes a fraction of the time. */
function buildInfo(folder: string): readonly string[] {
  const name = folder === '.' ? 'tests' : folder.replaceAll('/', '-');
  return ['--incremental', '--tsBuildInfoFile', `node_modules/.cache/tsc/${name}.tsbuildinfo`];
}

/** Runs one step, and prints its output if it found a problem. */
async function passes({ name, command: [program, ...args] }: Step): Promise<boolean> {
  const started = performance.now();
  const problem = await problemOf(join(root, 'node_modules/.bin', program), args);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${problem === undefined ? 'ok    ' : 'FAILED'}  ${name.padEnd(18)} ${seconds.padStart(5)} s`);
  if (problem !== undefined) console.log(problem);
  return problem === undefined;
}

/** Returns the output of a program that fails, or the reason why it cannot be started; otherwise `undefined`. */
function problemOf(program: string, args: readonly string[]): Promise<string | undefined> {
  const options = {
    cwd: root,
    // The checkers are written in Go, and end before much of their memory could be collected.
    env: { GOGC: '400', ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}` },
    maxBuffer: 256 * 1024 * 1024,
  };
  return new Promise((resolve) => {
    execFile(program, args, options, (error, stdout, stderr) => {
      const reason = typeof error?.code === 'number' ? '' : (error?.message ?? '');
      resolve(error ? `${stdout}${stderr}${reason}` : undefined);
    });
  });
}
