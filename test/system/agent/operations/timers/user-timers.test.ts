import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { timerOf } from '../../../../../src/agent/operations/timers/unit-name.ts';
import { lingering, UserTimers } from '../../../../../src/agent/operations/timers/user-timers.ts';

const HAS_ESCAPE = spawnSync('systemd-escape', ['--version']).status === 0;

describe('the timer of a set', () => {
  test.each([
    ['documents', 'holdfast-backup@documents.timer'],
    ['My files', String.raw`holdfast-backup@My\x20files.timer`],
    ['a/b-c', String.raw`holdfast-backup@a-b\x2dc.timer`],
    ['.hidden', String.raw`holdfast-backup@\x2ehidden.timer`],
    ['Fotos für Anna', String.raw`holdfast-backup@Fotos\x20f\xc3\xbcr\x20Anna.timer`],
    ['$(reboot)', String.raw`holdfast-backup@\x24\x28reboot\x29.timer`],
  ])('of %j is %s', (set, unit) => expect(timerOf(set)).toBe(unit));

  test.skipIf(!HAS_ESCAPE)('is escaped as systemd-escape does it', () => {
    const names = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
      // The name of a unit has at most 255 characters; systemd-escape refuses longer ones.
      .filter((name) => !/[\0\n\r]/.test(name) && timerOf(name).length <= 255);
    fc.assert(
      fc.property(names, (name) => {
        const words = ['--template=holdfast-backup@.timer', '--', name];
        const { stdout } = spawnSync('systemd-escape', words, { encoding: 'utf8' });
        expect(timerOf(name)).toBe(stdout.trim());
      }),
      { numRuns: 20 },
    );
  });
});

test.each([
  [0, 'yes\n', '', 'yes'],
  [0, 'no\n', '', 'no'],
  [0, '', '', 'unknown'],
  [1, '', 'Failed to get user: User ID 1000 is not logged in or lingering\n', 'no'],
  [1, '', "System has not been booted with systemd as init system (PID 1). Can't operate.\n", 'unknown'],
  [null, 'yes\n', '', 'unknown'],
] as const)('an answer of %s, %j and %j about lingering means %s', (code, output, error, state) =>
  expect(lingering(code, output, error)).toBe(state),
);

/** Stands in for systemctl and loginctl: notes its calls, and stores what was switched as files. */
const PROGRAM = `#!/bin/sh
cd "$HOME" || exit 9
printf '%s' "\${0##*/}" >>calls
for word in "$@"; do printf ' %s' "$word" >>calls; done
echo >>calls
[ -n "$SECRET" ] && echo "$SECRET" >leaked
printf '%s %s' "$XDG_RUNTIME_DIR" "$DBUS_SESSION_BUS_ADDRESS" >place
for last in "$@"; do :; done
[ -e no-systemd ] && { echo "System has not been booted with systemd as init system (PID 1). Can't operate." >&2; exit 1; }
case " $* " in
*' is-enabled '*) [ -e no-bus ] && { echo 'Failed to connect to bus: No such file or directory' >&2; exit 1; }
  [ -e no-unit ] && { echo "Failed to get unit file state for $last: No such file or directory" >&2; exit 1; }
  [ -e "on-$last" ] && { echo enabled; exit 0; }; echo disabled; exit 1 ;;
*' enable '*) [ -e no-unit ] && { echo "Failed to enable unit: Unit file $last does not exist." >&2; exit 1; }; touch "on-$last" ;;
*' disable '*) rm "on-$last" ;;
*' show-user '*) [ -e lingers ] && echo yes || echo no ;;
*' enable-linger '*) [ -e refuses ] && { echo 'Could not enable linger: Access denied' >&2; exit 1; }; [ -e ignores ] || touch lingers
  [ -e starts ] && { sleep 0.2; mkdir -p run/systemd; touch run/systemd/private; } >/dev/null 2>&1 & ;;
*' disable-linger '*) rm lingers ;;
esac
`;

describe('timers', () => {
  let folder: string;
  let timers: UserTimers;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-timers-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    for (const name of ['systemctl', 'loginctl']) {
      writeFileSync(join(folder, name), PROGRAM);
      chmodSync(join(folder, name), 0o755);
    }
    timers = timersWith({ SECRET: 'key' });
  });

  /** Of a person whose folder of sockets is `run`, wherever the environment says it is. */
  const timersWith = (environment: NodeJS.ProcessEnv, uid = process.getuid!()): UserTimers =>
    new UserTimers(
      { PATH: `${folder}:/usr/bin:/bin`, HOME: folder, ...environment },
      { name: 'anna', uid, sockets: join(folder, 'run') },
    );

  const calls = (): readonly string[] => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
  const given = (name: string): void => writeFileSync(join(folder, name), '');

  test('are switched on and off, and tell their state', async () => {
    expect(await timers.state('docs')).toBe('off');
    await timers.set('docs', true);
    expect(await timers.state('docs')).toBe('on');
    await timers.set('docs', false);
    expect(await timers.state('docs')).toBe('off');
    expect(calls()).toContain('systemctl --user --no-ask-password enable --now holdfast-backup@docs.timer');
    expect(existsSync(join(folder, 'leaked'))).toBe(false);
  });

  test('that are off already are left alone', async () => {
    given('no-unit');
    await timers.set('docs', false);
    expect(calls()).toEqual(['systemctl --user is-enabled holdfast-backup@docs.timer']);
  });

  test('cannot be switched on without the unit', async () => {
    given('no-unit');
    expect(await timers.state('docs')).toBe('missing');
    await expect(timers.set('docs', true)).rejects.toMatchObject({
      code: 'timer_failed',
      details: { detail: 'Failed to enable unit: Unit file holdfast-backup@docs.timer does not exist' },
    });
  });

  test('are refused for a name that systemd does not accept, and off for it', async () => {
    // 12 characters for each, after "holdfast-backup@".
    const longest = '写'.repeat(19);
    await timers.set(longest, true);
    expect(await timers.state(longest)).toBe('on');
    const asked = calls().length;
    const long = `${longest}写`;
    expect(await timers.state(long)).toBe('off');
    await timers.set(long, false);
    await expect(timers.set(long, true)).rejects.toMatchObject({
      code: 'timer_failed',
      details: { problem: 'long-name' },
    });
    expect(calls()).toHaveLength(asked);
  });

  test('are not there on a computer without systemd', async () => {
    const details = { problem: 'no-systemd' };
    given('no-systemd');
    await expect(timers.state('docs')).rejects.toMatchObject({ code: 'timer_failed', details });
    await expect(timers.start()).rejects.toMatchObject({ code: 'timer_failed', details });
    const programs = timersWith({ PATH: join(folder, 'none') });
    await expect(programs.state('docs')).rejects.toMatchObject({ code: 'timer_failed', details });
  });

  test('have no state where no systemd runs for the person', async () => {
    given('no-bus');
    await expect(timers.state('docs')).rejects.toMatchObject({ code: 'timer_failed' });
  });

  test('run without a login once loginctl has allowed it', async () => {
    expect(await timers.login()).toEqual({ withoutLogin: 'no' });
    expect(await timers.setLogin(true)).toEqual({ withoutLogin: 'yes' });
    expect(calls()).toContain('loginctl --no-ask-password enable-linger anna');
    expect(await timers.setLogin(false)).toEqual({ withoutLogin: 'no' });
  });

  test('do not run without a login when that is refused, with the reason', async () => {
    given('refuses');
    expect(await timers.setLogin(true)).toEqual({
      withoutLogin: 'no',
      refusal: 'Could not enable linger: Access denied',
    });
  });

  test('do not run without a login because it was claimed', async () => {
    given('ignores');
    expect(await timers.setLogin(true)).toMatchObject({ withoutLogin: 'no', refusal: expect.any(String) });
  });

  test('are unknown on a system without systemd', async () => {
    rmSync(join(folder, 'systemctl'));
    rmSync(join(folder, 'loginctl'));
    const without = timersWith({ PATH: folder });
    expect(await without.login()).toEqual({ withoutLogin: 'unknown' });
    expect(await without.setLogin(true)).toEqual({ withoutLogin: 'unknown', refusal: 'loginctl is missing' });
    await expect(without.state('docs')).rejects.toMatchObject({ details: { detail: 'systemctl is missing' } });
  });

  test.each([
    ['those of the session', process.getuid!(), 'session', 'session unix:path=/bus'],
    ['in a job of cron or after sudo, without any', process.getuid!(), undefined, 'run '],
    ["after su, with another's", 12_345, 'session', 'run '],
  ])('find the sockets of systemd: %s', async (_case, uid, given, expected) => {
    mkdirSync(join(folder, 'session'));
    const session = { XDG_RUNTIME_DIR: join(folder, given ?? ''), DBUS_SESSION_BUS_ADDRESS: 'unix:path=/bus' };
    await timersWith(given === undefined ? {} : session, uid).state('docs');
    expect(readFileSync(join(folder, 'place'), 'utf8')).toBe(join(folder, expected));
  });

  test('start the systemd of a person who was never signed in, before they are switched on', async () => {
    expect(timers.isRunning).toBe(false);
    given('starts');
    expect(await timers.start()).toEqual({ withoutLogin: 'yes' });
    expect(timers.isRunning).toBe(true);
  });

  test('cannot start it when that is refused, and say why', async () => {
    given('refuses');
    await expect(timers.start()).rejects.toMatchObject({
      code: 'timer_failed',
      details: { detail: 'Could not enable linger: Access denied' },
    });
  });
});
