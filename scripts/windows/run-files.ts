import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FileResult, WorkerLine } from './results.ts';
import type { Wine } from './wine.ts';

export interface RunLimits {
  /** Milliseconds since the epoch; what has not ended by then is not part of the results. */
  readonly until: number;
  /** Longest time without a test that starts or a file that ends. Starting Wine and loading the modules is part of it. */
  readonly patienceMs: number;
  /** Only tests whose names match. */
  readonly tests: string | undefined;
}

const LIST = 'test-files.txt';
const RESULTS = 'test-results.jsonl';
const OUTPUT = 'test-output';

/**
 * Runs test files, one after the other, in as few processes as possible. A process that hangs or dies is ended, and the next one
 * continues after the file that it was running.
 */
export async function runFiles(
  wine: Wine,
  files: readonly string[],
  { until, patienceMs, tests }: RunLimits,
  onResult: (result: FileResult, left: number) => void,
): Promise<readonly FileResult[]> {
  const done: FileResult[] = [];
  const add = (result: FileResult): void => {
    done.push(result);
    onResult(result, files.length - done.length);
  };
  while (done.length < files.length) {
    const left = files.slice(done.length);
    writeFileSync(join(wine.checkout, LIST), left.join('\n'));
    rmSync(join(wine.checkout, RESULTS), { force: true });
    const worker = ['--disable-warning=ExperimentalWarning', '--trace-deprecation', 'scripts/windows/worker.ts'];
    const child = wine.start([...worker, LIST, RESULTS, ...(tests === undefined ? [] : [tests])], OUTPUT);
    const ended = once(child, 'exit').then(() => true);
    let read = 0;
    let last = Date.now();
    let isOver = false;
    let hung = false;
    while (!isOver) {
      isOver = await Promise.race([ended, sleep(1000, false)]);
      const lines = linesOf(wine);
      for (; read < lines.length; read += 1) {
        const line = lines[read]!;
        last = Date.now();
        if (line.kind === 'ended') add({ file: line.file, seconds: line.seconds, tests: line.tests });
      }
      hung = Date.now() - last > patienceMs;
      if (Date.now() > until) {
        end(wine, child);
        await ended;
        return done;
      }
      if (hung) {
        end(wine, child);
        isOver = true;
      }
    }
    await ended;
    const lines = linesOf(wine);
    const unfinished = lines.findLast(({ kind }) => kind !== 'running');
    if (done.length === files.length) break;
    if (unfinished?.kind !== 'started') throw new Error(`no test ran:\n${outputOf(wine)}`);
    const seconds = Math.round((Date.now() - last) / 1000);
    const error = outputOf(wine).slice(-2000);
    const problem = hung ? 'hung' : 'died';
    const test = lines.findLast((line) => line.kind === 'running')?.test ?? '(no test yet)';
    add({ file: unfinished.file, seconds, tests: [{ name: `${test} (${problem})`, state: 'failed', error }], problem });
  }
  return done;
}

function end(wine: Wine, { pid }: ChildProcess): void {
  wine.stop();
  try {
    process.kill(-pid!, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

function linesOf(wine: Wine): readonly WorkerLine[] {
  const file = join(wine.checkout, RESULTS);
  if (!existsSync(file)) return [];
  const text = readFileSync(file, 'utf8');
  // The last line may be incomplete.
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as WorkerLine);
}

function outputOf(wine: Wine): string {
  return ['out', 'err']
    .map((name) => join(wine.checkout, `${OUTPUT}.${name}`))
    .map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : ''))
    .join('');
}
