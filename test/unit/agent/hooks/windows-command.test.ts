import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCommand } from '../../../../src/agent/hooks/run-command.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import type { HookCommand } from '../../../../src/model/set.ts';
import type { CommandResult } from '../../../../src/ipc/contract/hooks.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast hooks-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(
  command: HookCommand['run'],
  facts: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<CommandResult> {
  return runCommand({ run: command }, facts, { clock: systemClock, environment: process.env, signal });
}

function script(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name).replaceAll('/', '\\');
}

describe.skipIf(process.platform !== 'win32')('a command on Windows', () => {
  test('runs in cmd as a line, with what it wrote to both of its outputs', async () => {
    const result = await run('echo a  b&& echo c>&2& exit 3');
    expect(result).toMatchObject({ end: 'exited', exitCode: 3 });
    expect(result.output.split('\r\n').toSorted()).toEqual(['', 'a  b', 'c']);
  });

  test('may be a batch file with blanks in its path', async () => {
    const result = await run(`"${script('before run.cmd', '@echo %~1\r\n@exit /b 4\r\n')}" "a  b"`);
    expect(result).toMatchObject({ end: 'exited', exitCode: 4, output: 'a  b\r\n' });
  });

  test('gets its arguments as they are, without a shell', async () => {
    const print = script('print.cjs', 'process.stdout.write(JSON.stringify(process.argv.slice(2)))');
    const words = ['%PATH%', 'a  b', '"& exit 1', String.raw`C:\folder\ `];
    const result = await run([process.execPath, print, ...words]);
    expect(result).toMatchObject({ end: 'exited', exitCode: 0, output: JSON.stringify(words) });
  });

  test('may be a batch file in a list, which gets its arguments as they are', async () => {
    const print = script(
      'print all.cmd',
      '@echo off\r\n:next\r\nset "word=%~1"\r\nif not defined word exit /b 5\r\necho "%~1"\r\nshift\r\ngoto next\r\n',
    );
    const words = ['docs', 'a  b', '& exit 1', '^<>|()', 'x=1,2;3', 'C:\\a b\\', '!TEMP!'];
    const result = await run([print, ...words]);
    expect(result).toMatchObject({ end: 'exited', exitCode: 5 });
    expect(result.output).toBe(words.map((word) => `"${word}"\r\n`).join(''));
    expect(await run([print.replaceAll('\\', '/')])).toMatchObject({ end: 'exited', exitCode: 5 });
  });

  test('is not started if it is a batch file that would get another argument', async () => {
    const file = script('touch.cmd', `@echo x>"${folder}\\x"\r\n`);
    for (const word of ['%TEMP%', 'a" & exit 1', 'a\nb']) {
      const result = await run([file, word]);
      expect(result.end).toBe('not-started');
      expect(result.output).toContain('as a line for cmd');
    }
    expect(existsSync(join(folder, 'x'))).toBe(false);
  });

  test('finds the facts in its environment, and no secrets of the program', async () => {
    process.env['AWS_SECRET_ACCESS_KEY'] = 'secret';
    const result = await run('echo %HOLDFAST_SET% %AWS_SECRET_ACCESS_KEY%', { HOLDFAST_SET: 'docs' });
    delete process.env['AWS_SECRET_ACCESS_KEY'];
    expect(result.output).toBe('docs %AWS_SECRET_ACCESS_KEY%\r\n');
  });

  test('is ended with what it started when the run is stopped', async () => {
    const file = join(folder, 'id');
    const endless = script(
      'endless.cjs',
      `
      require('node:fs').writeFileSync(process.argv[2], String(process.pid));
      setInterval(() => undefined, 1000);`,
    );
    const stop = new AbortController();
    const running = run(`"${process.execPath}" "${endless}" "${file}"`, {}, stop.signal);
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8')).toMatch(/^\d+$/);
    stop.abort();
    expect((await running).end).toBe('stopped');
    const id = Number(readFileSync(file, 'utf8'));
    await expect.poll(() => isAlive(id)).toBe(false);
  });

  test('that does not exist is named', async () => {
    const result = await run([join(folder, 'missing')]);
    expect(result.end).toBe('not-started');
    expect(result.output).toContain('ENOENT');
    const batch = await run([join(folder, 'missing.cmd')]);
    expect(batch.end).toBe('not-started');
    expect(batch.output).toContain('ENOENT');
  });
});

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}
