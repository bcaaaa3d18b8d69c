import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { BoundedOutput } from '../../../../src/agent/hooks/bounded-output.ts';
import { runCommand } from '../../../../src/agent/hooks/run-command.ts';
import { pipeShell } from '../../../../src/agent/hooks/shell-line.ts';
import { systemClock, type Clock } from '../../../../src/base/clock.ts';
import type { HookCommand } from '../../../../src/model/set.ts';
import type { CommandResult } from '../../../../src/ipc/contract/hooks.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-hooks-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Extra {
  readonly facts?: Record<string, string>;
  readonly environment?: NodeJS.ProcessEnv;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

const run = (command: HookCommand['run'], { facts = {}, ...context }: Extra = {}): Promise<CommandResult> =>
  runCommand({ run: command }, facts, {
    clock: systemClock,
    environment: { PATH: process.env['PATH'] },
    ...context,
  });

/** A clock whose time-outs end when the command has written its file: no test waits for one. */
function clockThatEnds(file: string): Clock {
  return {
    now: () => Date.now(),
    sleep: async (_milliseconds, signal) => {
      while (!existsSync(file)) {
        await new Promise((resolve) => setImmediate(resolve));
        signal?.throwIfAborted();
      }
    },
  };
}

describe('a command', () => {
  test('runs in the shell as a line, with what it wrote to both of its outputs', async () => {
    const result = await run('echo "a  b" && echo c >&2; exit 3');
    expect(result).toMatchObject({ end: 'exited', exitCode: 3 });
    expect(result.output.split('\n').toSorted()).toEqual(['', 'a  b', 'c']);
  });

  test.skipIf(pipeShell() === undefined)('fails if any part of a pipeline fails', async () => {
    expect(await run('false | gzip > /dev/null')).toMatchObject({ end: 'exited', exitCode: 1 });
    expect(await run('exit 7 | cat | cat')).toMatchObject({ end: 'exited', exitCode: 7 });
    expect(await run('echo a | cat')).toMatchObject({ end: 'exited', exitCode: 0, output: 'a\n' });
    expect(await run('false || echo b')).toMatchObject({ exitCode: 0, output: 'b\n' });
  });

  test.skipIf(process.platform === 'win32')('with a pipeline means what it means to sh', async () => {
    const line = String.raw`echo 'a\tb' | cat; echo {1,2}; x=$(echo c | cat); echo "$x" $((1 + 2))`;
    expect((await run(line)).output).toBe((await run(['/bin/sh', '-c', line])).output);
  });

  test('gets its arguments as they are, without a shell', async () => {
    const result = await run(['printf', '%s|', '$HOME', 'a  b', '"; exit 1']);
    expect(result).toMatchObject({ end: 'exited', exitCode: 0, output: '$HOME|a  b|"; exit 1|' });
  });

  test('finds the facts in its environment, what a login sets, and no secrets of the program', async () => {
    const environment = {
      PATH: process.env['PATH'],
      LANG: 'de_DE.UTF-8',
      LC_TIME: 'C',
      AWS_SECRET_ACCESS_KEY: 'secret',
      ELECTRON_RUN_AS_NODE: '1',
      NODE_OPTIONS: '--inspect',
      OWN: 'kept',
    };
    const result = await run(
      'echo "$HOLDFAST_SET $LANG $LC_TIME [$OWN$AWS_SECRET_ACCESS_KEY$ELECTRON_RUN_AS_NODE$NODE_OPTIONS]"',
      {
        facts: { HOLDFAST_SET: 'docs' },
        environment,
      },
    );
    expect(result.output).toBe('docs de_DE.UTF-8 C []\n');
  });

  test('that does not exist is named', async () => {
    const result = await run([join(folder, 'missing')]);
    expect(result.end).toBe('not-started');
    expect(result.output).toContain('ENOENT');
  });

  test('that takes too long is ended with everything that it started', async () => {
    const file = join(folder, 'child');
    // The child ignores the request to end.
    const line = `sh -c 'trap "" TERM; echo $$ > ${file}; while :; do sleep 1; done' & wait`;
    const result = await run(line, { clock: clockThatEnds(file) });
    expect(result.end).toBe('timeout');
    await expect.poll(() => isAlive(Number(readFileSync(file, 'utf8')))).toBe(false);
  });

  test('is ended when the run is stopped', async () => {
    const file = join(folder, 'started');
    const stop = new AbortController();
    const running = run(`echo yes > ${file}; sleep 1000`, { signal: stop.signal });
    await expect.poll(() => existsSync(file)).toBe(true);
    stop.abort();
    expect((await running).end).toBe('stopped');
    expect((await run('echo no', { signal: stop.signal })).output).toBe('');
  });

  test.skipIf(process.platform !== 'linux')('is guarded as long as it runs', async () => {
    const stop = new AbortController();
    const file = join(folder, 'id');
    const running = run(`echo $$ > ${file}.new; mv ${file}.new ${file}; sleep 1000`, { signal: stop.signal });
    await expect.poll(() => existsSync(file)).toBe(true);
    const id = readFileSync(file, 'utf8').trim();
    expect(programsWith(id)).toBe(1);
    stop.abort();
    await running;
    await expect.poll(() => programsWith(id)).toBe(0);
  });

  test('that leaves a program behind holds nothing up', async () => {
    const file = join(folder, 'pid');
    const result = await run(`sleep 1000 & echo $! > ${file}; echo done`);
    expect(result).toMatchObject({ end: 'exited', exitCode: 0, output: 'done\n' });
    process.kill(Number(readFileSync(file, 'utf8')), 'SIGKILL');
  });
});

test('of a long output, the beginning and the end are kept', () => {
  const output = new BoundedOutput();
  for (let line = 0; line < 100_000; line += 1) output.add(Buffer.from(`line ${line}\n`));
  expect(output.text.length).toBeLessThan(33_000);
  expect(output.text.startsWith('line 0\nline 1\n')).toBe(true);
  expect(output.text.endsWith('line 99998\nline 99999\n')).toBe(true);
  expect(output.text).toMatch(/\[… \d+ bytes …\]/);
});

test('of any output, what is kept does not depend on the pieces in which it came', () => {
  const whole = Buffer.from(Array.from({ length: 15_000 }, (_, line) => `${line}\n`).join(''));
  for (const length of [0, 1, 8_192, 8_193, 32_767, 32_768, 32_769, 60_000, whole.length]) {
    const bytes = whole.subarray(0, length);
    const gap = length > 32_768 ? `\n[… ${length - 32_768} bytes …]\n` : '';
    const expected = `${bytes.subarray(0, 8_192).toString()}${gap}${bytes.subarray(Math.max(8_192, length - 24_576)).toString()}`;
    for (const piece of [7, 4_096, 24_576, 30_000, 100_000]) {
      const output = new BoundedOutput();
      for (let at = 0; at < length; at += piece) output.add(bytes.subarray(at, at + piece));
      expect(output.text === expected, `${length} bytes by ${piece}`).toBe(true);
    }
  }
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie has ended, but init has not noticed yet.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe.skipIf(process.platform === 'win32')('the end of the program', () => {
  /** Runs a command in another process, which ends without waiting once the command has written its id. */
  const ENDING = `
    import { existsSync } from 'node:fs';
    import { systemClock } from ${JSON.stringify(import.meta.resolve('../../../../src/base/clock.ts'))};
    import { runCommand } from ${JSON.stringify(import.meta.resolve('../../../../src/agent/hooks/run-command.ts'))};
    void runCommand({ run: process.env.COMMAND }, {}, { clock: systemClock, environment: process.env });
    while (!existsSync(process.env.FILE)) await new Promise((resolve) => setImmediate(resolve));
    eval(process.env.END);
  `;

  /** The last value: whether the command is asked before it is ended. */
  const ENDS = [
    ['by itself', 'process.exit(130)', false],
    ['by force', "process.kill(process.pid, 'SIGKILL')", true],
  ] as const;

  test.for(ENDS)('%s ends its command, also one that ignores requests', async ([, END, isAsked]) => {
    const file = join(folder, 'id');
    const COMMAND = `exec 2>/dev/null; trap ": >${file}.asked" TERM; echo $$ >${file}.new; mv ${file}.new ${file}; while :; do sleep 0.1; done`;
    const environment = { PATH: process.env['PATH'], COMMAND, FILE: file, END };
    const program = spawn(process.execPath, ['--input-type=module', '--eval', ENDING], { env: environment });
    await once(program, 'exit');
    const id = Number(readFileSync(file, 'utf8'));
    onTestFinished(() => {
      if (isRunning(id)) process.kill(-id, 'SIGKILL');
    });
    await expect.poll(() => isRunning(id), { timeout: 60_000 }).toBe(false);
    expect(existsSync(`${file}.asked`)).toBe(isAsked);
  });

  const STARTS = [
    ['the command', 1],
    ['what guards it', 2],
  ] as const;

  test.for(STARTS)('by force, just after it has started %s, leaves no command', async ([, count]) => {
    const file = join(folder, 'id');
    // Writes the id of the first program that is started, and ends by force after the last one.
    const KILLED = `
      import { writeFileSync } from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      import processes from 'node:child_process';
      const { spawn } = processes;
      let started = 0;
      processes.spawn = (...words) => {
        const child = spawn(...words);
        started += 1;
        if (started === 1) writeFileSync(process.env.FILE, String(child.pid));
        if (started === ${count}) process.kill(process.pid, 'SIGKILL');
        return child;
      };
      syncBuiltinESMExports();
    `;
    const environment = { PATH: process.env['PATH'], COMMAND: 'exec sleep 1000', FILE: file };
    const words = ['--input-type=module', '--import', `data:text/javascript,${encodeURIComponent(KILLED)}`];
    const program = spawn(process.execPath, [...words, '--eval', ENDING.replace('eval(process.env.END);', '')], {
      env: environment,
    });
    await once(program, 'exit');
    const id = Number(readFileSync(file, 'utf8'));
    onTestFinished(() => {
      if (isAlive(id)) process.kill(-id, 'SIGKILL');
    });
    await expect.poll(() => isAlive(id), { timeout: 20_000 }).toBe(false);
  });
});

/** The number of programs whose last word this is. */
function programsWith(word: string): number {
  const words = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((id) => {
      try {
        return readFileSync(`/proc/${id}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    });
  return words.filter((line) => line.endsWith(`\0${word}\0`)).length;
}

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch {
    return false;
  }
}
