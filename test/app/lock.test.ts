import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROTECTED } from './renderer/states.ts';
import { ELECTRON } from './electron-fixture.ts';
import { ScriptedFixture } from './scripted-fixture.ts';

const PASSWORD = 'correct horse';
const WORDS = Array.from({ length: 24 }, (_, index) => `word${index + 1}`);
const SCRIPT = {
  events: { state: PROTECTED },
  answers: {
    'phrase.words': { words: WORDS, device: 'Anna’s laptop', location: '/media/anna/disk' },
    'phrase.check': {},
    'key.code': { code: 'six words', expires: 1, location: '/media/anna/disk' },
    'key.change': { later: [], needPhrase: [], services: [], lostPassphrase: false },
    'key.passphrase': { kept: [], unchanged: [] },
    'sets.suggestions': { folders: [{ path: '/home/anna/Documents', kind: 'documents' }] },
    'runs.backup': { run: 1 },
  },
};
const REFUSED = { ok: false, failure: { code: 'refused', details: { problem: 'locked' } } };

describe.skipIf(!ELECTRON)('lock in Electron', () => {
  let folder: string;
  let scripted: ScriptedFixture;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-locked-'));
    scripted = await ScriptedFixture.open(SCRIPT, { folder });
  }, 240_000);
  afterAll(async () => {
    await scripted?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const ask = (name: string, input?: unknown): Promise<unknown> => scripted.electron.ask(name, input);

  test('is turned on with a password, which showing the phrase then needs', async () => {
    await scripted.electron.window();
    expect(await ask('shell.reveal-phrase')).toMatchObject({ ok: true, value: { isAsked: false } });
    expect(await ask('lock.set-password', { password: PASSWORD })).toEqual({ ok: true, value: {} });
    expect(await ask('shell.reveal-phrase')).toMatchObject({ failure: { code: 'lock_password_needed' } });
    expect(await ask('shell.save-kit', { password: 'wrong one' })).toMatchObject({
      failure: { code: 'lock_password_wrong' },
    });
    expect(await ask('shell.reveal-phrase', { password: PASSWORD })).toMatchObject({
      value: { words: WORDS, isAsked: true },
    });
  });

  test('guards what gives the key to others or changes it', async () => {
    const inputs = {
      'key.show-code': {},
      'key.renew': { revoke: 'dev_2' },
      'key.set-passphrase': { passphrase: 'six' },
    };
    const before = scripted.calls().length;
    for (const [name, input] of Object.entries(inputs)) {
      expect(await ask(name, input)).toMatchObject({ failure: { code: 'lock_password_needed' } });
    }
    expect(scripted.calls()).toHaveLength(before);
    for (const [name, input] of Object.entries(inputs)) {
      expect(await ask(name, { ...input, password: PASSWORD })).toMatchObject({ ok: true });
    }
    expect(scripted.calls().slice(before)).toMatchObject([
      { method: 'key.code', input: {} },
      { method: 'key.change', input: { revoke: 'dev_2' } },
      { method: 'key.passphrase', input: { passphrase: 'six' } },
    ]);
    expect(JSON.stringify(scripted.calls().slice(before))).not.toContain(PASSWORD);
  });

  test('shows nothing and answers no call after it is locked from the menu', async () => {
    const page = await scripted.electron.window();
    await page
      .getByText(/Last backup/)
      .first()
      .waitFor();
    await scripted.electron.app.evaluate(({ Menu }) => {
      const items = Menu.getApplicationMenu()!.items.flatMap(({ submenu }) => submenu?.items ?? []);
      items.find(({ label }) => label === 'Lock now')!.click();
    });
    await page.getByRole('heading', { name: 'Holdfast is locked' }).waitFor();
    const shown = await page.locator('body').innerText();
    for (const hidden of ['Documents', 'Anna', 'anna']) expect(shown).not.toContain(hidden);
    const before = scripted.calls().length;
    for (const name of ['sets.suggestions', 'runs.backup', 'shell.reveal-phrase', 'key.show-code', 'lock.remove']) {
      expect(await ask(name, { set: 'Documents' })).toEqual(REFUSED);
    }
    expect(scripted.calls()).toHaveLength(before);
    // The page does not receive the data, it does not only hide them.
    const received = await page.evaluate(
      'new Promise((resolve) => window.holdfastPort.onState((state) => resolve(JSON.stringify(state))))',
    );
    for (const hidden of ['Documents', 'anna', 'dev_1']) expect(received).not.toContain(hidden);
  });

  test('unlocks by password', async () => {
    const page = await scripted.electron.window();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page
      .getByText(/Last backup/)
      .first()
      .waitFor();
    expect(await ask('sets.suggestions')).toMatchObject({ ok: true });
  });

  test('locks again after the window is closed and after a restart', async () => {
    expect(await ask('lock.configure', { locksOnClose: true, idleMinutes: 0 })).toEqual({ ok: true, value: {} });
    const { app } = scripted.electron;
    await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]!.close());
    await expect.poll(() => app.windows().length).toBe(0);
    const opened = app.waitForEvent('window');
    await app.evaluate(({ app: program }) => program.emit('activate'));
    await (await opened).getByRole('heading', { name: 'Holdfast is locked' }).waitFor();
    await scripted.electron.end();
    scripted = await ScriptedFixture.open(SCRIPT, { folder });
    const page = await scripted.electron.window();
    await page.getByRole('heading', { name: 'Holdfast is locked' }).waitFor();
    expect(await ask('sets.suggestions')).toEqual(REFUSED);
  });

  test('unlocks by recovery phrase, which removes the password', async () => {
    const page = await scripted.electron.window();
    await page.getByRole('button', { name: 'I forgot the password' }).click();
    await page.getByLabel('Recovery phrase').fill(WORDS.join(' '));
    await page.getByRole('button', { name: 'Unlock' }).click();
    await page
      .getByText(/Last backup/)
      .first()
      .waitFor();
    // The call is recorded by the scripted agent, in another process.
    await expect
      .poll(() => scripted.calls().findLast(({ method }) => method === 'phrase.check')?.input)
      .toEqual({
        phrase: WORDS.join(' '),
      });
    expect(await ask('lock.now')).toMatchObject({ failure: { details: { problem: 'lock-off' } } });
  });
});
