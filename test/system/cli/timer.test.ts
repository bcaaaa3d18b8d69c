import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Workplace } from '../e2e/workplace.ts';

/** Both programs of systemd: a timer is on while the file `on` exists, and programs linger while `lingers` does. */
const program = (folder: string): string => `#!/bin/sh
cd '${folder}' || exit 9
case " $* " in
*' is-enabled '*) [ -e on ] && { echo enabled; exit 0; }; echo disabled; exit 1 ;;
*' enable '*) [ -e no-unit ] && { echo 'Unit file does not exist' >&2; exit 1; }
  [ -e session/systemd/private ] || { echo 'Failed to connect to bus' >&2; exit 1; }; touch on ;;
*' disable '*) rm on ;;
*' show-user '*) [ -e lingers ] && echo yes || echo no ;;
*' enable-linger '*) [ -e refuses ] && { echo 'Could not enable linger: Access denied' >&2; exit 1; }; touch lingers
  mkdir -p session/systemd; touch session/systemd/private ;;
*' disable-linger '*) rm lingers ;;
esac
`;

let workplace: Workplace;
beforeAll(async () => {
  workplace = new Workplace();
  await workplace.setUp();
  mkdirSync(workplace.path('docs'));
  await workplace.addSet('docs', workplace.path('docs'));
});
beforeEach(() => {
  rmSync(workplace.path('no-unit'), { force: true });
  for (const name of ['systemctl', 'loginctl']) chmodSync(workplace.write(name, program(workplace.folder)), 0o755);
  workplace.environment['PATH'] = `${workplace.folder}:${process.env['PATH']}`;
  // The person is signed in.
  mkdirSync(workplace.path('session/systemd'), { recursive: true });
  writeFileSync(workplace.path('session/systemd/private'), '');
  workplace.environment['XDG_RUNTIME_DIR'] = workplace.path('session');
});
afterAll(() => workplace[Symbol.dispose]());

test('a timer that may not run without a login is on, warns, and states what holds', async () => {
  writeFileSync(workplace.path('refuses'), '');
  const { stdout, stderr, status } = await workplace.run('timer', 'on', 'docs');
  expect({ stdout, status }).toEqual({
    stdout: 'docs is backed up every hour.\nTimers run: only while you are signed in.\n',
    status: 3,
  });
  expect(stderr).toContain('not without a login (Could not enable linger: Access denied)');
  expect(await workplace.json(['timer', 'status'])).toEqual({
    sets: [{ name: 'docs', on: true }],
    without_login: false,
  });
});

test('a timer runs without a login, unless that is left out, and is switched off alone', async () => {
  rmSync(workplace.path('refuses'), { force: true });
  const only = { set: 'docs', on: true, without_login: false, warnings: [] };
  expect(await workplace.json(['timer', 'on', 'docs', '--signed-in-only'])).toEqual(only);
  expect(await workplace.json(['timer', 'on', 'docs'])).toEqual({ ...only, without_login: true });
  const { stdout } = await workplace.run('timer', 'off', 'docs');
  expect(stdout).toContain('loginctl disable-linger');
  expect(existsSync(workplace.path('lingers'))).toBe(true);
  expect(await workplace.json(['timer', 'status'])).toEqual({
    sets: [{ name: 'docs', on: false }],
    without_login: true,
  });
});

test('a timer of a person who has never signed in needs the right to run without a login first', async () => {
  for (const name of ['session/systemd', 'lingers', 'on'])
    rmSync(workplace.path(name), { recursive: true, force: true });
  writeFileSync(workplace.path('refuses'), '');
  const { stderr, status } = await workplace.run('timer', 'on', 'docs');
  expect(status).toBe(1);
  expect(stderr).toContain('Could not enable linger: Access denied');
  rmSync(workplace.path('refuses'));
  expect(await workplace.json(['timer', 'on', 'docs'])).toMatchObject({ on: true, without_login: true, warnings: [] });
});

test('a timer that cannot be switched on leaves the account as it was', async () => {
  for (const name of ['session/systemd', 'lingers', 'on'])
    rmSync(workplace.path(name), { recursive: true, force: true });
  writeFileSync(workplace.path('no-unit'), '');
  await workplace.json(['timer', 'on', 'docs'], 1);
  expect(existsSync(workplace.path('lingers'))).toBe(false);
});

test('a timer of a set that does not exist is refused', async () => {
  expect(await workplace.json(['timer', 'on', 'other'], 2)).toMatchObject({ error: { code: 'set_unknown' } });
});
