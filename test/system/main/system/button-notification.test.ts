import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ButtonNotifications } from '../../../../src/main/system/button-notification.ts';

const HAS_SHELL = process.platform !== 'win32';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-notification-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A stand-in for notify-send, whose words are one per line in `words`. */
function program(script: string): string {
  const file = join(folder, 'notify-send');
  writeFileSync(file, `#!/bin/sh\nprintf '%s\\n' "$@" >'${folder}/words'\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

interface Shown {
  readonly notifications: ButtonNotifications;
  readonly pressed: string[];
}

function show(file: string): Shown {
  const notifications = new ButtonNotifications(file);
  const pressed: string[] = [];
  notifications.show({
    message: { title: '-“Documents” failed', body: 'A <b>file</b> & more' },
    label: 'Try again',
    icon: '/usr/share/icon.png',
    onClick: () => pressed.push('click'),
    onButton: () => pressed.push('button'),
    onFailure: () => pressed.push('failure'),
  });
  return { notifications, pressed };
}

describe.skipIf(!HAS_SHELL)('a notification with a button', () => {
  test.each([
    ['the button', 'echo button', ['button']],
    ['a click on the whole', 'echo default', ['click']],
    ['an older program, or no desktop', 'exit 1', ['failure']],
  ])('tells of %s', async (_what, script, expected) => {
    const { pressed } = show(program(script));
    await expect.poll(() => pressed).toEqual(expected);
  });

  test('that cannot be shown by the program is shown otherwise, once', async () => {
    const { pressed } = show(join(folder, 'missing'));
    await expect.poll(() => pressed).toEqual(['failure']);
  });

  test('passes what a name contains as text', async () => {
    const { pressed } = show(program('echo button'));
    await expect.poll(() => pressed).toEqual(['button']);
    const words = readFileSync(join(folder, 'words'), 'utf8').trimEnd().split('\n');
    expect(words.slice(-3)).toEqual(['--', '-“Documents” failed', 'A &lt;b&gt;file&lt;/b&gt; &amp; more']);
    expect(words).toContain('--action=button=Try again');
  });

  test('that is closed says nothing, and neither does one of a program that ends', async () => {
    const closed = show(program(`echo closed >'${folder}/done'`));
    await expect.poll(() => existsSync(join(folder, 'done'))).toBe(true);
    const waiting = show(program('exec sleep 60'));
    await expect.poll(() => existsSync(join(folder, 'words'))).toBe(true);
    waiting.notifications.close();
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect([closed.pressed, waiting.pressed]).toEqual([[], []]);
  });

  test('is not shown beside many others', async () => {
    const file = program(`echo $$ >>'${folder}/ids'; exec sleep 60`);
    const notifications = new ButtonNotifications(file);
    const one = { message: { title: 'a', body: 'b' }, label: 'c', icon: 'd' };
    const nothing = (): void => undefined;
    for (let index = 0; index < 7; index += 1) {
      notifications.show({ ...one, onClick: nothing, onButton: nothing, onFailure: nothing });
    }
    const running = (): number => {
      const ids = existsSync(join(folder, 'ids')) ? readFileSync(join(folder, 'ids'), 'utf8').trim().split('\n') : [];
      return ids.filter((id) => spawnSync('kill', ['-0', id], { stdio: 'ignore' }).status === 0).length;
    };
    await expect.poll(running).toBe(5);
    notifications.close();
    await expect.poll(running).toBe(0);
  });
});
