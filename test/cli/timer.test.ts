import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Workplace } from '../e2e/workplace.ts';

/** Both programs of systemd: a timer is on while the file `on` exists, and programs linger while `lingers` does. */
const program = (folder: string): string => `#!/bin/sh
cd '${folder}' || exit 9
case " $* " in
*' is-enabled '*) [ -e on ] && { echo enabled; exit 0; }; echo disabled; exit 1 ;;
*' enable '*) touch on ;;
*' disable '*) rm on ;;
*' show-user '*) [ -e lingers ] && echo yes || echo no ;;
*' enable-linger '*) [ -e refuses ] && { echo 'Could not enable linger: Access denied' >&2; exit 1; }; touch lingers ;;
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
  for (const name of ['systemctl', 'loginctl']) chmodSync(workplace.write(name, program(workplace.folder)), 0o755);
  workplace.environment['PATH'] = `${workplace.folder}:${process.env['PATH']}`;
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

test('a timer of a set that does not exist is refused', async () => {
  expect(await workplace.json(['timer', 'on', 'other'], 2)).toMatchObject({ error: { code: 'set_unknown' } });
});
