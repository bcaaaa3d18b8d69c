/**
 * `npm run test:leaks`: 50 backups, 50 restores and 50 verifications, each kind in one process and through the agent, over
 * 2,000 files that change in between. Prints the process's resources after every ten runs and a garbage collection, and exits with
 * 1 if memory grows from run to run, or if a file descriptor or thread stays open. It takes minutes, so it is not part of
 * `npm test`. Linux only, since the numbers come from /proc.
 *
 *     npm run test:leaks -- [RUNS]
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeWorkspace } from './leak-check/workspace.ts';

/** The limits of bin/holdfast, since the heap's limit affects the result. */
const FLAGS = ['--max-semi-space-size=4', '--max-old-space-size=768'];

/** Fewer runs show no trend, since the first ten do not count. */
const FEWEST_RUNS = 20;

const runs = Number(process.argv[2] ?? 50);
if (!(runs >= FEWEST_RUNS)) throw new Error(`at least ${FEWEST_RUNS} runs show a trend`);
const workspace = mkdtempSync(join(tmpdir(), 'holdfast-leaks-'));
process.once('exit', () => rmSync(workspace, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

await makeWorkspace(workspace);
const leaking = ['backup', 'restore', 'verify'].filter((kind) => {
  const words = [
    '--expose-gc',
    ...FLAGS,
    join(import.meta.dirname, 'leak-check/runs.ts'),
    kind,
    String(runs),
    workspace,
  ];
  const environment = { ...process.env, MALLOC_ARENA_MAX: '2' };
  return spawnSync(process.execPath, words, { stdio: 'inherit', env: environment }).status !== 0;
});
console.log(leaking.length === 0 ? '\nNothing leaks.' : `\nNot in order: ${leaking.join(', ')}.`);
process.exit(leaking.length === 0 ? 0 : 1);
