import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';

const PROGRAM = resolve('bin/holdfast');
/** No account has it. */
const NOBODY = 54_321;
const canSwitch =
  process.getuid?.() === 0 &&
  spawnSync('setpriv', [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', PROGRAM, '--help'], {
    env: { PATH: process.env['PATH'], HOME: '/' },
  }).status === 0;

/** Runs the program as a user without HOME whom the list of accounts does not have. */
function run(words: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const who = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
  const env = { PATH: process.env['PATH'], ...environment };
  const { status, stdout, stderr } = spawnSync('setpriv', [...who, PROGRAM, ...words], {
    env,
    encoding: 'utf8',
    cwd: '/',
  });
  return { status, stdout, stderr };
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'holdfast-without-home-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  chmodSync(path, 0o777);
  return path;
}

describe.skipIf(!canSwitch)('for a user without a home folder', () => {
  test.each([['--version'], ['--help'], ['backup', '--help']])('%s %s works', (...words) => {
    expect(run(words)).toMatchObject({ status: 0, stderr: '' });
  });

  test.each([['status'], ['set', 'list'], ['backup', 'x'], ['setup', '--destination', '/nowhere'], ['report']])(
    '%s says what to do',
    (...words) => {
      const { status, stdout, stderr } = run(words);
      expect([status, stdout, stderr]).toEqual([2, '', expect.stringMatching(/^holdfast: .*HOME.*--home/s)]);
      expect(stderr).not.toMatch(/^\s+at /m);
    },
  );

  test('the service needs none', () => {
    const parent = folder();
    const password = join(parent, 'password');
    writeFileSync(password, 'correct horse battery staple');
    const place = ['--data', join(parent, 'service'), '--email', 'a@example.org'];
    expect(run(['service', 'account', 'create', ...place, '--password-file', password])).toMatchObject({ status: 0 });
    expect(run(['service', 'webhook', 'list', ...place])).toMatchObject({ status: 0 });
    expect(run(['service', 'check', '--data', join(parent, 'service'), '--json']).stderr).toBe('');
  });

  test('says it as JSON', () => {
    const { status, stdout } = run(['status', '--json']);
    expect([status, JSON.parse(stdout)]).toMatchObject([
      2,
      { error: { code: 'usage', details: { problem: 'no-home' } } },
    ]);
  });

  test.each([
    ['HOLDFAST_HOME', (home: string) => [[], { HOLDFAST_HOME: home }] as const],
    ['--home', (home: string) => [['--home', home], {}] as const],
    ['XDG_DATA_HOME', (home: string) => [[], { XDG_DATA_HOME: home }] as const],
  ])('all works with %s', (_name, place) => {
    const parent = folder();
    const [words, environment] = place(join(parent, 'home'));
    const holdfast = (...more: readonly string[]) => {
      const done = run([...words, ...more], environment);
      expect([
        more[0],
        done.status,
        done.stderr.replace(/^(Scanning|Uploading|Finishing|Restoring|Comparing|Checking).*\n/gm, ''),
      ]).toEqual([more[0], 0, expect.any(String)]);
      return done.stdout;
    };
    const source = join(parent, 'source');
    mkdirSync(source);
    writeFileSync(join(source, 'a.txt'), 'content of a');
    holdfast('setup', '--destination', join(parent, 'backups'), '--print-json');
    holdfast('set', 'add', 'documents', source, '--exclude', 'cache/');
    holdfast('set', 'hooks', 'documents', '--before', 'true');
    holdfast('backup', 'documents', '--json');
    holdfast('status');
    holdfast('check');
    holdfast('restore', 'documents', '--to', join(parent, 'target'));
    expect(readFileSync(join(parent, 'target', 'source', 'a.txt'), 'utf8')).toBe('content of a');
    const tilde = run([...words, 'set', 'add', 'more', '~/more'], environment);
    expect([tilde.status, tilde.stderr]).toEqual([2, expect.stringContaining('~/more')]);
    const keys = { ...environment, AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };
    const bucket = ['destination', 'add', '--destination', 's3://my-bucket', '--endpoint', 'http://127.0.0.1:1'];
    expect(run([...words, ...bucket], keys).stderr).toMatch(/cannot be reached \((refused|ECONNREFUSED)\)/);
    const ssh = run([...words, 'destination', 'add', '--destination', 'sftp://127.0.0.1:1/backups'], environment);
    expect(ssh.stderr).not.toMatch(/^\s+at /m);
    const timer = run([...words, 'timer', 'on', 'documents'], environment);
    expect(timer.stderr).not.toMatch(/^\s+at /m);
  });
});
