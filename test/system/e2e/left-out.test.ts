import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Workplace } from './workplace.ts';

interface LeftOut {
  readonly rule: string;
  readonly files: number;
  readonly bytes: number;
  readonly at_least?: true;
}

let workplace: Workplace;
beforeEach(async () => {
  workplace = new Workplace();
  workplace.environment['HOME'] = workplace.path('users/anna');
  await workplace.setUp();
});
afterEach(() => workplace[Symbol.dispose]());

function write(path: string, text = 'four'): void {
  mkdirSync(dirname(workplace.path(path)), { recursive: true });
  writeFileSync(workplace.path(path), text);
}

async function storedIn(folder: string): Promise<string[]> {
  const { entries } = await workplace.json<{ entries: { path: string; type: string }[] }>(['ls', 'all', '--recursive']);
  const files = entries.filter(({ type }) => type === 'file').map(({ path }) => path);
  return files.map((path) => path.slice(workplace.path(folder).length + 1)).sort();
}

describe.skipIf(process.platform !== 'linux')('what a new set leaves out', () => {
  test('are the caches of programs in homes, and no file of a person', async () => {
    const own = [
      'anna/Code/Cache/main.py',
      'anna/chromium/src/net/Cache/x.cc',
      'bert/.cache/copy',
      'anna/work/target/debug/x',
    ];
    for (const path of own) write(`users/${path}`);
    write('users/anna/.cache/a/b', 'seven..');
    write('users/anna/.config/Code/Cache/x');
    write('users/anna/.config/Code/Cache/y');
    write('users/anna/tagged/CACHEDIR.TAG', 'Signature: 8a477f597d28d172789f06886806bc55\n');
    write('users/anna/tagged/x');
    await workplace.json(['set', 'add', 'all', workplace.path('users')]);

    const expected = [
      { rule: 'preset:apps: ~/.config/Code/Cache/', files: 2, bytes: 8 },
      { rule: 'preset:linux: ~/.cache/', files: 1, bytes: 7 },
      { rule: 'preset:caches: */ (CACHEDIR.TAG)', files: 1, bytes: 4 },
    ];
    const tried = await workplace.json<{ left_out: LeftOut[] }>(['backup', 'all', '--dry-run']);
    expect(tried.left_out).toEqual(expected);
    const { left_out: leftOut } = await workplace.json<{ left_out: LeftOut[] }>(['backup', 'all']);
    expect(leftOut).toEqual(expected);
    expect(await storedIn('users')).toEqual([...own, 'anna/tagged/CACHEDIR.TAG'].sort());

    const { stdout } = await workplace.run('backup', 'all');
    expect(stdout).toMatch(/^ {2}Left out +4 files, 19 bytes$/m);
    rmSync(workplace.path('users/anna'), { recursive: true });
    expect((await workplace.run('backup', 'all', '--allow-empty')).stdout).not.toContain('Left out');
  });

  test('is counted up to a part of what the run has scanned, and said to be the least', async () => {
    write('users/anna/letter');
    for (let index = 0; index < 700; index += 1) write(`users/anna/.cache/${index}`, 'x');
    await workplace.json(['set', 'add', 'all', workplace.path('users')]);
    const { left_out: leftOut } = await workplace.json<{ left_out: LeftOut[] }>(['backup', 'all']);
    expect(leftOut).toMatchObject([{ rule: 'preset:linux: ~/.cache/', at_least: true }]);
    expect(leftOut[0]!.files).toBeGreaterThanOrEqual(300);
    expect(leftOut[0]!.files).toBeLessThan(320);
    expect((await workplace.run('backup', 'all')).stdout).toMatch(/^ {2}Left out +at least 3\d\d files, /m);
    const tried = await workplace.json<{ left_out: LeftOut[] }>(['backup', 'all', '--dry-run']);
    expect(tried.left_out).toEqual([{ rule: 'preset:linux: ~/.cache/', files: 700, bytes: 700 }]);
  });
});
