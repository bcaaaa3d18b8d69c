import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from '../../../src/cli/program.ts';
import { isPlainMessage, Workplace } from '../e2e/workplace.ts';

class Collected extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/** Runs the program in this process: separate processes would be slow for a large table of mistakes. */
async function run(home: string, ...words: readonly string[]) {
  const [out, error] = [new Collected(), new Collected()];
  const status = await runProgram(words, { out, error }, { HOLDFAST_HOME: home });
  return { status, stdout: out.text, stderr: error.text };
}

describe('wrong usage', () => {
  let workplace: Workplace;
  beforeAll(async () => {
    workplace = new Workplace();
    await workplace.setUp();
  });
  afterAll(() => workplace[Symbol.dispose]());

  test.each([
    [[]],
    [['nonsense']],
    [['backup']],
    [['backup', 'a', 'b']],
    [['backup', 'a', '--nonsense']],
    [['set']],
    [['set', 'add', 'documents']],
    [['verify', 'documents', '--sample', '0']],
    [['verify', 'documents', '--sample', '101']],
    [['backup', 'documents', '--limit-upload', '0']],
    [['backup', 'documents', '--limit-upload', 'fast']],
    [['restore', 'documents']],
    [['restore', 'documents', '--to', 'x', '--conflict', 'maybe']],
    [['restore', 'documents', '--in-place', '--to', 'x']],
    [['ls', 'documents', '--at', 'banana']],
    [['backup', 'documents', '--progress', 'xml']],
    [['backup', 'documents', '--priority', 'high']],
    [['backup', 'documents', '--watch', '--dry-run']],
    [['backup', 'documents', '--quiet-seconds', '5']],
    [['backup', 'documents', '--watch', '--quiet-seconds', '0']],
    [['find', 'documents', '*.txt']],
    [['versions', 'documents', 'a.txt']],
    [['setup', '--destination', 's3://bucket', '--endpoint', 'http://127.0.0.1:1']],
    [['service', 'start', '--data', 'x', '--database', 'postgres://localhost']],
    [['service', 'start']],
    [['service', 'start', '--data', 'x', '--port', '70000']],
    [['set', 'add', 'documents', '.', '--schedule', 'sometimes']],
    [['set', 'show', 'nothing']],
    [['set', 'remove', 'nothing']],
  ])('%j exits with 2 and prints two lines, or one JSON object', async (words) => {
    const plain = await run(workplace.home, ...words);
    expect(plain).toMatchObject({ status: 2, stdout: '' });
    expect(plain.stderr).toMatch(/^holdfast: [^\n]+\n {10}[^\n]+\n$/);
    expect(isPlainMessage(plain.stderr)).toBe(true);

    const json = await run(workplace.home, ...words, '--json');
    expect(json).toMatchObject({ status: 2, stderr: '' });
    expect(json.stdout.endsWith('}\n')).toBe(true);
    expect(JSON.parse(json.stdout)).toEqual({
      error: expect.objectContaining({ code: expect.any(String), message: expect.any(String) }),
    });
  });

  test.each([
    [['help'], 'holdfast'],
    [['help', 'backup'], 'holdfast backup'],
    [['help', 'set'], 'holdfast set'],
    [['set', 'help'], 'holdfast set'],
    [['help', 'set', 'add'], 'holdfast set add'],
    [['set', 'help', 'add'], 'holdfast set add'],
    [['--home', 'elsewhere', 'help', 'points', 'remove'], 'holdfast points remove'],
  ])('%j shows the help of “%s” and exits with 0', async (words, command) => {
    // The program has this exit code until there is a result.
    process.exitCode = 1;
    const { status, stdout, stderr } = await run(workplace.home, ...words).finally(
      () => (process.exitCode = undefined),
    );
    expect(stderr).toBe('');
    expect(stdout.split('\n')[0]).toMatch(new RegExp(`^Usage: ${command} \\[`));
    expect(status).toBe(0);
  });

  test.each([
    [['help', 'nonsense']],
    [['nonsense', '--help']],
    [['set', 'nonsense', '--help']],
    [['help', 'set', 'nonsense']],
  ])('%j names the command that does not exist', async (words) => {
    const { status, stdout, stderr } = await run(workplace.home, ...words);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain("unknown command 'nonsense'");
  });

  test('help of a command shows each option once', async () => {
    const { stdout } = await run(workplace.home, 'points', 'remove', '--help');
    const options = [...stdout.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option]) => option);
    expect(options).toContain('--destination');
    expect(options).toEqual([...new Set(options)]);
  });

  test.each([[['points', 'documents', '--help']], [['points', 'documents', '--json', '-h']]])(
    '%j shows the help of a command that also has commands below it',
    async (words) => {
      const { status, stdout, stderr } = await run(workplace.home, ...words);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toMatch(/^Usage: holdfast points \[/);
    },
  );

  test('points of a set of the name “help” are looked for', async () => {
    const { stdout, stderr } = await run(workplace.home, 'points', 'help');
    expect(stdout).not.toContain('Usage:');
    expect(stderr).toContain('help');
  });

  test('a set of the name “help” is a set', async () => {
    expect((await run(workplace.home, 'set', 'show', 'help')).stderr).toContain('help');
    expect((await run(workplace.home, 'set', 'show', 'help')).stdout).toBe('');
  });

  test('help lists every command of this version and none of a later one', async () => {
    const { status, stdout } = await run(workplace.home, '--help');
    expect(status).toBe(0);
    for (const name of [
      'setup',
      'set',
      'backup',
      'points',
      'ls',
      'find',
      'versions',
      'diff',
      'restore',
      'verify',
      'status',
      'key',
      'devices',
      'service',
    ]) {
      expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
    }
    expect(stdout).not.toMatch(/s3|postgres/);
  });

  test('shows a set as it was added, until it is removed', async () => {
    const words = [
      'set',
      'add',
      'notes',
      workplace.folder,
      '--exclude',
      '*.tmp',
      '--exclude',
      'cache/',
      '--schedule',
      'daily 18:30',
    ];
    const more = ['--preset', 'developer', '--one-file-system', '--private-names', '--drill-every', '14'];
    await workplace.json([...words, ...more]);
    const set = {
      name: 'notes',
      paths: [workplace.folder],
      excludes: ['*.tmp', 'cache/'],
      presets: ['developer'],
      one_file_system: true,
      optional_paths: [],
      private_names: true,
      compression: 'default',
      schedule: 'daily 18:30',
      conditions: { battery_at_least: null, on_mains: false, not_metered: false, networks: [] },
      limits: { upload_kib: null, download_kib: null, hours: null, priority: null },
      verification: null,
      drill: { every_days: 14 },
      online_files: 'skip',
      pings: { start: null, success: null, fail: null },
    };
    expect(await workplace.json(['set', 'show', 'notes'])).toEqual(set);
    expect(await workplace.json(['set', 'list'])).toEqual({ sets: [set] });
    expect(await workplace.json(words, 2)).toMatchObject({ error: { code: 'set_exists' } });
    await workplace.json(['set', 'remove', 'notes']);
    expect(await workplace.json(['set', 'list'])).toEqual({ sets: [] });
  });
});
