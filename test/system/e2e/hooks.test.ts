import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { startPingServer } from '../agent/hooks/ping-server.ts';
import { Workplace } from './workplace.ts';

test('commands and pings are set, run with a backup, and shown with how they ended', async () => {
  using workplace = new Workplace({ isReal: true });
  const { url, received } = await startPingServer();
  await workplace.setUp();
  mkdirSync(workplace.path('docs'));
  writeFileSync(workplace.path('docs/a'), 'hello');
  await workplace.addSet('docs', workplace.path('docs'));
  const before = `echo "to stderr" >&2; echo early > ${workplace.path('docs/early')}`;
  const after = `["sh", "-c", "echo $HOLDFAST_OUTCOME $HOLDFAST_FILES > ${workplace.path('after')}; exit 4"]`;
  const set = [
    'set',
    'hooks',
    'docs',
    '--before',
    before,
    '--before-timeout',
    '60',
    '--after',
    after,
    '--ping',
    `${url}/id`,
  ];
  expect(await workplace.json(set)).toMatchObject({
    before: { command: before, timeout_seconds: 60, last: null },
    after: { last: null },
    pings: { start: { url: `${url}/id/start` }, success: { url: `${url}/id` }, fail: { url: `${url}/id/fail` } },
  });

  // The pings have arrived when the command has ended.
  const report = await workplace.json(['backup', 'docs'], 3);
  expect(report).toMatchObject({ files_processed: 2, warnings: [{ path: 'docs', reason: 'after-command' }] });
  expect(readFileSync(workplace.path('after'), 'utf8')).toBe('success 2\n');
  expect(received.map(({ path }) => path)).toEqual(['/id/start', '/id']);
  expect(received[1]!.body).toContain('set: docs\noutcome: warnings\n');

  expect(await workplace.json(['set', 'hooks', 'docs'])).toMatchObject({
    before: { last: { end: 'exited', exit_code: 0, output: 'to stderr\n' } },
    after: { last: { end: 'exited', exit_code: 4 } },
    pings: { success: { last: { delivered: true, attempts: 1, status: 200 } } },
  });
  expect((await workplace.run('set', 'hooks', 'docs')).stdout).toMatch(/The command before wrote:\n {2}to stderr/);

  const changed = await workplace.json(['set', 'hooks', 'docs', '--before', 'exit 9', '--no-after', '--no-pings']);
  // How the ones before ended says nothing about these.
  expect(changed).toMatchObject({ before: { command: 'exit 9', timeout_seconds: null, last: null }, after: null });
  expect((await workplace.run('set', 'hooks', 'docs', '--ping', '')).stderr).toContain('An address is empty.');
  const failed = await workplace.run('backup', 'docs');
  expect(failed.status).toBe(1);
  expect(failed.stderr).toContain('The command before the backup failed with exit code 9. No backup was made.');
  expect(existsSync(workplace.path('after'))).toBe(true);
});

test('a backup whose pings get no answer says what it waits for, and ends as it would at the first interruption', async () => {
  using workplace = new Workplace({ isReal: true });
  const server = await startPingServer();
  server.statuses.push(-1, -1);
  await workplace.setUp();
  mkdirSync(workplace.path('docs'));
  writeFileSync(workplace.path('docs/a'), 'hello');
  await workplace.addSet('docs', workplace.path('docs'));
  await workplace.json(['set', 'hooks', 'docs', '--ping', `${server.url}/id`]);
  const { child, ended } = workplace.start(['backup', 'docs']);
  child.stderr!.on('data', (bytes: Buffer) => {
    if (bytes.includes('Waiting for the answers to pings')) child.kill('SIGINT');
  });
  expect(await ended).toMatchObject({ status: 0, stdout: expect.stringContaining('Backed up docs.') });
  expect(server.received).toHaveLength(1);
});

test.skipIf(process.platform !== 'linux')(
  'a backup whose terminal is closed stops, and the command after runs',
  async () => {
    using workplace = new Workplace({ isReal: true });
    await workplace.setUp();
    mkdirSync(workplace.path('docs'));
    writeFileSync(workplace.path('docs/a'), 'hello');
    await workplace.addSet('docs', workplace.path('docs'));
    const [started, after] = [workplace.path('started'), workplace.path('after')];
    const before = `: >${started}; exec sleep 1000`;
    await workplace.json(['set', 'hooks', 'docs', '--before', before, '--after', `echo $HOLDFAST_OUTCOME >${after}`]);
    // The program gets a terminal, which is closed twice: by the system, and as a shell tells its programs.
    const terminal = `
import os, pty, signal, sys, time
child, master = pty.fork()
if child == 0: os.execv(sys.argv[2], sys.argv[2:])
while not os.path.exists(sys.argv[1]): time.sleep(0.05)
os.close(master)
try: os.kill(child, signal.SIGHUP)
except ProcessLookupError: pass
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) % 256)`;
    const { ended } = workplace.start(['backup', 'docs'], workplace.home, ['python3', '-c', terminal, started]);
    expect(await ended).toMatchObject({ status: 130 });
    expect(readFileSync(after, 'utf8')).toBe('stopped\n');
  },
);

test.skipIf(process.platform === 'win32')(
  'a second interruption ends the process at once, with one object',
  async () => {
    using workplace = new Workplace({ isReal: true });
    await workplace.setUp();
    mkdirSync(workplace.path('docs'));
    await workplace.addSet('docs', workplace.path('docs'));
    const started = workplace.path('started');
    await workplace.json(['set', 'hooks', 'docs', '--before', `trap '' INT TERM; : >${started}; sleep 3`]);
    const { child, ended } = workplace.start(['backup', 'docs', '--json']);
    await vi.waitUntil(() => existsSync(started), { timeout: 60_000 });
    child.kill('SIGINT');
    await sleep(300);
    child.kill('SIGINT');
    const { status, stdout } = await ended;
    expect(status).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'interrupted' } });
  },
);

test('a command that backs up its own set runs once, directly and by another set', async () => {
  using workplace = new Workplace({ isReal: true });
  await workplace.setUp();
  const program = join(import.meta.dirname, '../../../bin/holdfast');
  const runs = workplace.path('runs');
  // Ends by itself after a few runs, whatever the program does.
  const backUp = (own: string, other: string): string =>
    `echo ${own} >> ${runs}; [ $(wc -l < ${runs}) -lt 6 ] && ${program} backup ${other}`;
  for (const name of ['docs', 'photos']) {
    mkdirSync(workplace.path(name));
    writeFileSync(workplace.path(name, 'a'), name);
    await workplace.addSet(name, workplace.path(name));
  }
  await workplace.json(['set', 'hooks', 'docs', '--before', backUp('docs', 'docs')]);
  await workplace.json(['backup', 'docs']);
  expect(readFileSync(runs, 'utf8')).toBe('docs\n');

  writeFileSync(runs, '');
  await workplace.json(['set', 'hooks', 'docs', '--no-before', '--after', backUp('docs', 'photos')]);
  await workplace.json(['set', 'hooks', 'photos', '--before', backUp('photos', 'docs')]);
  await workplace.json(['backup', 'docs']);
  expect(readFileSync(runs, 'utf8')).toBe('docs\nphotos\n');
});
