/**
 * `npm run check`: all static checks. Every step runs, so that one run shows all
 * problems; the exit code is 1 if any step found one.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';

interface Step {
  readonly name: string;
  readonly command: readonly [program: string, ...args: string[]];
}

const root = dirname(import.meta.dirname);
const layers = readdirSync(root)
  .map((file) => /^tsconfig\.(?!shared\.)(\w+)\.json$/.exec(file)?.[1])
  .filter((layer) => layer !== undefined);

const steps: readonly Step[] = [
  { name: 'lint', command: ['oxlint', '--quiet', '--format=unix'] },
  { name: 'format', command: ['oxfmt', '--check', '.'] },
  ...layers.map((layer): Step => ({ name: `types of ${layer}`, command: ['tsc', '-p', `tsconfig.${layer}.json`] })),
  { name: 'dead code', command: ['knip', '--no-progress'] },
];

const failed = steps.filter((step) => !passes(step));
console.log(
  failed.length === 0 ? '\nEverything is in order.' : `\nNot in order: ${failed.map(({ name }) => name).join(', ')}.`,
);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Runs one step, and prints its output if it found a problem. */
function passes({ name, command: [program, ...args] }: Step): boolean {
  const started = performance.now();
  const { status, stdout, stderr, error } = spawnSync(join(root, 'node_modules/.bin', program), args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}` },
    maxBuffer: 256 * 1024 * 1024,
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'}  ${name.padEnd(18)} ${seconds.padStart(5)} s`);
  if (status !== 0) console.log(`${stdout}${stderr}${error?.message ?? ''}`);
  return status === 0;
}
