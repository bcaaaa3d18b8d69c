import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { suggestedDestination } from '../../../src/renderer/features/destination-choice/destination-draft.ts';
import { wordsOf } from '../../../src/renderer/features/onboarding/page/draft.ts';
import { coveredBy, plainRoots } from '../../../src/renderer/features/onboarding/folders/roots.ts';
import { expectSound, inLanguage, APPEARANCES } from './appearance.ts';
import { ASK, onboardingAnswers, WORDS } from './onboarding-answers.ts';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import { DOCUMENTS, NOT_SET_UP, PROTECTED } from './states.ts';
import type { AppState } from '../../../src/ipc/state.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { Answers, ShownWindow } from './window-page.ts';

const VALUES = [
  ...WORDS,
  'System disk',
  'Backup disk',
  'Archive',
  'annas-laptop',
  'drive',
  'Anna’s old laptop',
  'anna@example.org',
  'Documents',
  /https:\/\/backup\.example\.org/,
  /\/(media|home|mnt)(\/[\w ./]+)?/,
];

const heading = (shown: ShownWindow, name: string | RegExp): Promise<void> =>
  shown.page.getByRole('heading', { level: 1, name }).waitFor();
/** Waits until the step with this title has the focus, so that screen readers announce it. */
const focusedStep = (shown: ShownWindow, name: string): Promise<void> =>
  shown.page.getByRole('form', { name }).and(shown.page.locator(':focus')).waitFor();
const next = (shown: ShownWindow): Promise<void> => shown.page.locator('button[type=submit]').click();
const inputs = (shown: ShownWindow, name: string): readonly unknown[] =>
  shown.calls.filter((call) => call.name === name).map(({ input }) => input);

describe.skipIf(CHROMIUM === undefined)('onboarding', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  /** Opens the last step of a set-up whose phrase is confirmed. */
  const atFolders = async (change: Answers = {}, more: Partial<AppState> = {}): Promise<ShownWindow> => {
    const state = { ...PROTECTED, ...more, sets: [], needs: [{ kind: 'phrase-unconfirmed' } as const] };
    const shown = await pages.show(state, onboardingAnswers(change));
    await next(shown);
    for (const [index, field] of ASK.entries()) {
      await shown.page.getByRole('textbox').nth(index).fill(WORDS[field]!);
    }
    await next(shown);
    await heading(shown, 'What should be backed up?');
    return shown;
  };

  test('leads to a first backup by keyboard alone', async () => {
    const shown = await pages.show(NOT_SET_UP, onboardingAnswers());
    const { page } = shown;
    const type = async (...keys: readonly string[]): Promise<void> => {
      for (const key of keys) await (key.startsWith('"') ? page.keyboard.type(key.slice(1)) : page.keyboard.press(key));
    };
    await focusedStep(shown, 'Where should your backups go?');
    await page.getByRole('radio', { name: /Backup disk/, checked: true }).waitFor();
    // From the heading past the button for existing backups to the list, then past the further options to the button.
    await type('Tab', 'Tab', 'Tab', 'Tab', 'Enter');
    await focusedStep(shown, 'This destination works');
    await type('Tab', 'ControlOrMeta+a', '"Anna’s laptop', 'Enter');
    await focusedStep(shown, 'Write down your recovery phrase');
    // The buttons: save, copy, back, later, next.
    await type('Tab', 'Tab', 'Tab', 'Tab', 'Tab', 'Enter');
    await focusedStep(shown, 'Did you write it down correctly?');
    await type('Tab', `"${WORDS[ASK[0]!]!}`, 'Tab', `"${WORDS[ASK[1]!]!}`, 'Enter');
    await focusedStep(shown, 'What should be backed up?');
    await page.getByRole('checkbox', { name: 'Downloads' }).waitFor();
    // Removes Documents again. Enter in the name of the set continues.
    await type('Tab', 'Space');
    await page.getByRole('textbox', { name: 'Name of this backup set' }).focus();
    await type('Enter');
    await expect.poll(() => inputs(shown, 'runs.backup')).toEqual([{ set: 'My files' }]);
    expect(inputs(shown, 'setup.finish')).toEqual([
      { choice: { kind: 'folder', path: '/media/anna/Backup disk' }, deviceName: 'Anna’s laptop' },
    ]);
    expect(inputs(shown, 'sets.add')).toMatchObject([
      {
        form: {
          name: 'My files',
          roots: ['/home/anna/Pictures', '/home/anna/Projects'],
          presets: ['linux'],
          schedule: 'hourly',
          privateNames: true,
          verification: { everyDays: 30, samplePercent: 5 },
          drill: { everyDays: 7 },
        },
      },
    ]);
    expect(inputs(shown, 'sets.retention.save')).toEqual([
      { set: 'My files', policy: { keepAllDays: 7, daily: 30, weekly: 12, monthly: 24 } },
    ]);
    expect(inputs(shown, 'preferences.save')).toMatchObject([{ preferences: { startAtLogin: true } }]);
    await page.getByRole('navigation').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.localName')).toBe('main');
    await shown.close();
  });

  test.each(APPEARANCES)('fits and is accessible at $width×$height, $colorScheme, in $language', async (look) => {
    const shown = await pages.show(inLanguage(NOT_SET_UP, look.language), onboardingAnswers(), look);
    const { page } = shown;
    const sound = (): Promise<void> => expectSound(shown, look, VALUES);
    const arrive = (selector: string): Promise<void> => page.locator(selector).first().waitFor();
    await arrive('.ui-card');
    await sound();
    await page.locator('.ui-card').nth(4).click();
    for (const [index, field] of ['user', 'webdav', 'access-key', 'folder'].entries()) {
      await page.locator('.ui-segments').first().locator('.ui-segment').nth(index).click();
      await arrive(`input[name=${field}]`);
      if (field === 'folder') continue;
      await next(shown);
      await arrive('.ui-field-error');
      await sound();
    }
    await sound();
    await page.locator('.ui-card').last().click();
    await page.locator('input[name=url]').fill('https://backup.example.org');
    await next(shown);
    await arrive('input[name=email]');
    await sound();
    await page.locator('input[name=email]').fill('anna@example.org');
    await page.locator('input[name=password]').fill('right');
    await next(shown);
    await arrive('input[name=code]');
    await page.locator('input[name=code]').fill('123456');
    await next(shown);
    await arrive('textarea');
    await sound();
    await page.locator('textarea').fill(WORDS.join(' '));
    await next(shown);
    await arrive('.ui-card');
    await sound();
    await page.locator('.ui-card').last().click();
    await next(shown);
    await arrive('.first-folder');
    await sound();
    await shown.close();

    const unconfirmed = inLanguage({ ...PROTECTED, sets: [], needs: [{ kind: 'phrase-unconfirmed' }] }, look.language);
    const phrase = await pages.show(unconfirmed, onboardingAnswers(), look);
    await phrase.page.locator('.first-word').first().waitFor();
    await expectSound(phrase, look, VALUES);
    await next(phrase);
    await phrase.page.locator('input[name=word-7]').waitFor();
    await next(phrase);
    await expectSound(phrase, look, VALUES);
    await phrase.close();
  });

  test('shows the folder of the backups, and all defaults of the last step without scrolling', async () => {
    const first = await pages.show(NOT_SET_UP, onboardingAnswers());
    await first.page.getByRole('radio', { name: /System disk/ }).waitFor();
    await first.page.getByText('/home/anna/Holdfast').waitFor();
    await first.close();
    const shown = await atFolders();
    const { page } = shown;
    const row = page.getByRole('listitem').filter({ hasText: '/Documents' });
    const name = (await row.getByText('Documents').boundingBox())!;
    const path = (await row.locator('.first-folder-path').boundingBox())!;
    // In one line, the name first.
    expect(path.x).toBeGreaterThanOrEqual(name.x + name.width);
    expect(path.y).toBeLessThan(name.y + name.height);
    const footer = (await page.getByRole('button', { name: 'Start the first backup' }).boundingBox())!.y;
    for (const one of [
      page.getByRole('button', { name: 'How often Every hour' }),
      page.getByText('Recommended settings:'),
    ]) {
      const { y, height } = (await one.boundingBox())!;
      expect(y + height).toBeLessThan(footer);
    }
    await shown.close();
  });

  test('moves no folder when its count ends', async () => {
    let isDone = false;
    const shown = await atFolders({
      'sets.estimate': () => ({ done: isDone, files: 100, bytes: 5e9, rules: [], unreadable: [] }),
    });
    const { page } = shown;
    const tops = (): Promise<readonly number[]> =>
      page
        .locator('.first-folder')
        .evaluateAll((rows) =>
          rows.map((row) => (row as { getBoundingClientRect(): { y: number } }).getBoundingClientRect().y),
        );
    await expect.poll(() => page.getByText('counting…').count()).toBe(4);
    const counting = await tops();
    isDone = true;
    await expect.poll(() => page.getByText('counting…').count()).toBe(0);
    expect(await tops()).toEqual(counting);
    await shown.close();
  });

  test('changes each of the recommended settings', async () => {
    const shown = await atFolders();
    const { page } = shown;
    await page.getByText('Recommended settings:').click();
    for (const name of [/^Hide file names/, /^Start at login/, /^Check the backups/, /^Test a restore/, /^Thin out/]) {
      await page.getByRole('switch', { name }).click({ force: true });
    }
    await page.getByText('Settings: none').waitFor();
    await next(shown);
    await expect.poll(() => inputs(shown, 'runs.backup')).toEqual([{ set: 'My files' }]);
    expect(inputs(shown, 'sets.add')).toMatchObject([{ form: { privateNames: false } }]);
    expect(JSON.stringify(inputs(shown, 'sets.add'))).not.toMatch(/verification|drill/);
    expect(inputs(shown, 'sets.retention.save')).toEqual([{ set: 'My files', policy: {} }]);
    expect(inputs(shown, 'preferences.save')).toEqual([]);
    await shown.close();
  });

  test('leaves it to a service what is kept', async () => {
    const destination = { kind: 'service', location: 'https://backup.example.org' } as const;
    const shown = await atFolders({}, { destination });
    expect(await shown.page.locator('.first-recommended summary').innerText()).not.toContain('thinned out');
    await next(shown);
    await expect.poll(() => inputs(shown, 'runs.backup')).toEqual([{ set: 'My files' }]);
    expect(inputs(shown, 'sets.retention.save')).toEqual([]);
    await shown.close();
  });

  test('opens existing backups first of all', async () => {
    const shown = await pages.show(NOT_SET_UP, onboardingAnswers());
    const { page } = shown;
    const caution = page.getByText(/If it fails, you lose both/);
    await caution.waitFor();
    // A number before each step is read as part of its first word.
    expect(await page.getByRole('list', { name: 'Steps' }).ariaSnapshot()).toBe(
      ['- list "Steps":', '  - listitem: Destination', '  - listitem: Recovery phrase', '  - listitem: Folders'].join(
        '\n',
      ),
    );
    await page.getByText('A Holdfast service').click();
    await next(shown);
    await page.getByText('Fill this in.').waitFor();
    await page.getByRole('button', { name: 'I already have backups' }).press('Enter');
    await focusedStep(shown, 'Where are your backups?');
    expect(await page.getByText(/Fill this in/).count()).toBe(0);
    await page.getByText('Archive').first().click();
    await page.getByRole('radio', { name: /Archive/, checked: true }).waitFor();
    expect(await caution.count()).toBe(0);
    await next(shown);
    await page.getByRole('heading', { name: 'Backups already exist here' }).waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByText('Backup disk').first().click();
    await next(shown);
    await page.getByText(/^There are no backups here/).waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('button', { name: 'Set up new backups instead' }).click();
    await heading(shown, 'Where should your backups go?');
    await shown.close();
  });

  test('keeps what was typed when the person goes back', async () => {
    const shown = await pages.show(NOT_SET_UP, onboardingAnswers());
    const { page } = shown;
    await page.getByRole('radio', { name: /A Holdfast service/ }).check({ force: true });
    await page.getByRole('textbox', { name: 'Address of the service' }).fill('https://backup.example.org');
    await next(shown);
    await page.getByRole('textbox', { name: 'E-mail address' }).fill('anna@example.org');
    await page.getByRole('button', { name: 'Back' }).click();
    await heading(shown, 'Where should your backups go?');
    expect(await page.getByRole('textbox', { name: 'Address of the service' }).inputValue()).toBe(
      'https://backup.example.org',
    );
    await next(shown);
    expect(await page.getByRole('textbox', { name: 'E-mail address' }).inputValue()).toBe('anna@example.org');
    await shown.close();
  });

  test('shows a wrong password and a wrong code in place, and starts over when the sign-in expires', async () => {
    const shown = await pages.show(NOT_SET_UP, onboardingAnswers());
    const { page } = shown;
    await page.getByRole('radio', { name: /A Holdfast service/ }).check({ force: true });
    await page.getByRole('textbox', { name: 'Address of the service' }).fill('https://backup.example.org');
    await next(shown);
    await page.getByRole('textbox', { name: 'E-mail address' }).fill('anna@example.org');
    await page.getByRole('textbox', { name: 'Password' }).fill('wrong');
    await next(shown);
    await page.getByRole('alert').waitFor();
    await page.getByRole('textbox', { name: 'Password' }).fill('right');
    await next(shown);
    const code = page.getByRole('textbox', { name: '6-digit code' });
    await code.fill('12');
    await next(shown);
    await page.getByText('Enter all 6 digits.').waitFor();
    await code.fill('111111');
    await next(shown);
    await page.getByText(/This code is wrong\./).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.name')).toBe('code');
    await code.fill('000000');
    await next(shown);
    await page.getByText(/The sign-in has timed out\./).waitFor();
    expect(await page.getByRole('textbox', { name: 'Password' }).inputValue()).toBe('right');
    await shown.close();
  });

  test('warns of an unencrypted address before a password is typed, and of little free space', async () => {
    const shown = await pages.show(
      NOT_SET_UP,
      onboardingAnswers({
        'setup.try': ({ choice: destination }) =>
          destination.kind === 'service'
            ? { location: destination.url, holdsBackups: false, signIn: { password: true, provider: false } }
            : { location: '/media/anna/Backup disk', holdsBackups: false, freeBytes: 2e6 },
      }),
    );
    const { page } = shown;
    const warning = page.getByText(/the connection is not encrypted/);
    await page.getByRole('radio', { name: /A Holdfast service/ }).check({ force: true });
    await page.locator('input[name=url]').fill('http://192.168.1.10');
    await warning.waitFor();
    await next(shown);
    await page.locator('input[name=password]').waitFor();
    await warning.waitFor();
    await page.getByRole('button', { name: 'Back' }).click();
    await page.locator('input[name=url]').fill('http://localhost:8080');
    await warning.waitFor({ state: 'detached' });
    await page.getByRole('radio', { name: /Backup disk/ }).check({ force: true });
    await next(shown);
    await page.getByText(/^Only 2\sMB free\./).waitFor();
    expect(await page.getByText(/^2\sMB free$/).count()).toBe(0);
    await shown.close();
  });

  test('does not continue as a device of another account', async () => {
    const shown = await pages.show(NOT_SET_UP, onboardingAnswers());
    const { page } = shown;
    await page.getByRole('radio', { name: /A Holdfast service/ }).check({ force: true });
    await page.locator('input[name=url]').fill('https://backup.example.org');
    await next(shown);
    await page.locator('input[name=email]').fill('anna@example.org');
    await page.locator('input[name=password]').fill('right');
    await next(shown);
    await page.locator('input[name=code]').fill('123456');
    await next(shown);
    await page.getByRole('button', { name: /Set up this computer as/ }).click();
    await page.getByRole('option', { name: /Anna’s old laptop/ }).click();
    for (const field of ['password', 'url']) {
      await page.getByRole('button', { name: 'Back' }).click();
      await page.locator(`input[name=${field}]`).waitFor();
    }
    await page.getByRole('radio', { name: /Backup disk/ }).check({ force: true });
    await next(shown);
    await page.locator('input[name=device-name]').waitFor();
    await next(shown);
    await expect.poll(() => inputs(shown, 'setup.finish')).toHaveLength(1);
    expect(inputs(shown, 'setup.finish')[0]).not.toHaveProperty('deviceId');
    await shown.close();
  });

  test('opens existing backups by their phrase, and continues a set', async () => {
    const state = { ...PROTECTED, device: { id: 'dev_1', name: 'Anna’s old laptop' }, sets: [] };
    const shown = await pages.show(NOT_SET_UP, onboardingAnswers());
    const { page } = shown;
    await page.getByRole('radio', { name: /Archive/ }).check({ force: true });
    await next(shown);
    await heading(shown, 'This destination works');
    await page.getByRole('textbox', { name: 'Recovery phrase' }).fill('too short');
    await next(shown);
    await page.getByText('The phrase has 24 words.').waitFor();
    await page.getByRole('textbox', { name: 'Recovery phrase' }).fill(`1. ${WORDS.join('\n')} `);
    await next(shown);
    await heading(shown, 'Your backups are open');
    expect(inputs(shown, 'setup.finish')).toMatchObject([{ phrase: WORDS.join(' ') }]);
    await shown.setState(state);
    await page.getByRole('radio', { name: /Continue “Documents”/ }).check({ force: true });
    await next(shown);
    await heading(shown, 'What should be backed up?');
    expect(await page.getByRole('textbox', { name: 'Name of this backup set' }).inputValue()).toBe('Documents');
    await shown.close();
  });

  test('names the wrong word, shows the phrase again, and confirms before skipping', async () => {
    const open = { ...PROTECTED, sets: [], needs: [{ kind: 'phrase-unconfirmed' } as const] };
    const shown = await pages.show(open, onboardingAnswers());
    const { page } = shown;
    await heading(shown, 'Write down your recovery phrase');
    await page.getByRole('button', { name: 'Copy' }).click();
    expect(inputs(shown, 'shell.copy')).toEqual([]);
    await page.getByRole('button', { name: 'Copy anyway' }).click();
    await expect.poll(() => inputs(shown, 'shell.copy')).toEqual([{ text: WORDS.join(' ') }]);
    await next(shown);
    await page.getByRole('textbox', { name: 'Word 7' }).fill(` ${WORDS[6]!.toUpperCase()} `);
    await page.getByRole('textbox', { name: 'Word 19' }).fill('wrong');
    await next(shown);
    await page.getByText(/This is not word 19\./).waitFor();
    expect(await page.getByText(/This is not word 7\./).count()).toBe(0);
    expect(inputs(shown, 'setup.confirm-phrase')).toEqual([]);
    await page.getByRole('button', { name: 'Show the phrase again' }).click();
    await heading(shown, 'Write down your recovery phrase');
    await page.getByRole('button', { name: 'Do this later' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Write it down now' }).click();
    await page.getByRole('button', { name: 'Do this later' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Continue and remind me' }).click();
    await heading(shown, 'What should be backed up?');
    await shown.close();
  });

  test('starts with the last selection, also after an attempt that only saved the set', async () => {
    const open = { ...PROTECTED, sets: [], needs: [{ kind: 'phrase-unconfirmed' } as const] };
    let tries = 0;
    const shown = await pages.show(
      open,
      onboardingAnswers({
        'runs.backup': () => {
          tries += 1;
          if (tries < 4) throw new HoldfastError('home_busy');
          return { run: 1 };
        },
        'sets.add': () => ({ passedOver: [open.home] }),
        'sets.save': () => ({ passedOver: [] }),
        'sets.remove': () => ({}),
      }),
    );
    const { page } = shown;
    const start = async (): Promise<void> => {
      const before = inputs(shown, 'runs.backup').length;
      await next(shown);
      await expect.poll(() => inputs(shown, 'runs.backup')).toHaveLength(before + 1);
    };
    await page.getByRole('button', { name: 'Do this later' }).click();
    await page.getByRole('button', { name: 'Continue and remind me' }).click();
    await heading(shown, 'What should be backed up?');
    await page.getByRole('checkbox', { name: 'Downloads' }).waitFor();
    await start();
    await shown.setState({ ...open, sets: [{ ...DOCUMENTS, name: 'My files' }] });
    // The set is saved and not started; a step back and forth does not skip that.
    await page.getByRole('button', { name: 'Back' }).click();
    await heading(shown, 'Write down your recovery phrase');
    await page.getByRole('button', { name: 'Do this later' }).click();
    await page.getByRole('button', { name: 'Continue and remind me' }).click();
    await heading(shown, 'What should be backed up?');
    await start();
    expect(inputs(shown, 'sets.add')).toHaveLength(1);
    await page.getByRole('checkbox', { name: 'Documents' }).uncheck({ force: true });
    await start();
    expect(inputs(shown, 'sets.save')).toMatchObject([
      { set: 'My files', form: { roots: ['/home/anna/Pictures', '/home/anna/Projects'] } },
    ]);
    await page.getByRole('textbox', { name: 'Name of this backup set' }).fill('Mine');
    await start();
    expect(inputs(shown, 'sets.add')).toHaveLength(2);
    expect(inputs(shown, 'sets.remove')).toEqual([{ set: 'My files' }]);
    expect(inputs(shown, 'runs.backup')).toEqual([
      { set: 'My files' },
      { set: 'My files' },
      { set: 'My files' },
      { set: 'Mine' },
    ]);
    await shown.close();
  });

  test('starts the backup by a press that comes before the folders and presets are known', async () => {
    const open = { ...PROTECTED, sets: [], needs: [{ kind: 'phrase-unconfirmed' } as const] };
    const presets = onboardingAnswers()['sets.presets']!;
    const known = Promise.withResolvers<void>();
    const shown = await pages.show(
      open,
      onboardingAnswers({
        'sets.presets': async () => {
          await known.promise;
          return await presets({});
        },
      }),
    );
    const { page } = shown;
    await page.getByRole('button', { name: 'Do this later' }).click();
    await page.getByRole('button', { name: 'Continue and remind me' }).click();
    await heading(shown, 'What should be backed up?');
    const pressed = next(shown);
    await expect.poll(() => inputs(shown, 'sets.presets')).toHaveLength(1);
    expect(inputs(shown, 'runs.backup')).toEqual([]);
    setTimeout(() => known.resolve(), 500);
    await pressed;
    await expect.poll(() => inputs(shown, 'runs.backup')).toHaveLength(1);
    await shown.close();
  });

  test('adds a folder, counts it, and lists what is left out before it starts', async () => {
    const open = { ...PROTECTED, sets: [], needs: [{ kind: 'phrase-unconfirmed' } as const] };
    const shown = await pages.show(
      open,
      onboardingAnswers({ 'sets.add': () => ({ passedOver: ['/srv/shared/photos'] }) }),
    );
    const { page } = shown;
    await page.getByRole('button', { name: 'Do this later' }).click();
    await page.getByRole('button', { name: 'Continue and remind me' }).click();
    await page.getByRole('button', { name: 'Add another folder…' }).click();
    await page.getByRole('checkbox', { name: 'photos', checked: true }).waitFor();
    await page.getByText('Total').waitFor();
    await page.getByRole('checkbox', { name: 'Your whole home folder' }).check({ force: true });
    await page.getByText('Within /home/anna').first().waitFor();
    await next(shown);
    await page.getByText(/These folders contain your backups/).waitFor();
    await expect
      .poll(() => page.evaluate("document.querySelector('.first-news').getBoundingClientRect().bottom <= innerHeight"))
      .toBe(true);
    expect(inputs(shown, 'sets.add')).toMatchObject([{ form: { roots: ['/home/anna', '/srv/shared/photos'] } }]);
    expect(inputs(shown, 'runs.backup')).toEqual([]);
    await next(shown);
    await expect.poll(() => inputs(shown, 'runs.backup')).toHaveLength(1);
    expect(inputs(shown, 'sets.add')).toHaveLength(1);
    await shown.close();
  });
});

test.each([
  [
    ['/a', '/a/b', '/ab'],
    ['/a', '/ab'],
  ],
  [['/', '/a'], ['/']],
  [['C:\\Users\\Anna', 'C:\\Users\\Anna\\Documents'], ['C:\\Users\\Anna']],
  [['/a', '/a'], ['/a']],
])('reduces %j to the roots %j', (paths, roots) => {
  expect(plainRoots(paths)).toEqual(roots);
});

test('a folder is covered by another one and never by itself', () => {
  expect(coveredBy('/a/b', ['/a/b', '/a'])).toBe('/a');
  expect(coveredBy('/a', ['/a', '/a/b'])).toBeUndefined();
  expect(coveredBy('/a\\b/c', ['/a\\b'])).toBe('/a\\b');
  expect(coveredBy('c:\\Users\\anna', ['C:\\'])).toBe('C:\\');
});

test('reads a phrase in any notation', () => {
  expect(wordsOf(' 1. Abandon\n2. ability,able ')).toEqual(['abandon', 'ability', 'able']);
  expect(wordsOf('1) abandon (2) ability\u00a03: able\r\n• ABOUT – “above”')).toEqual([
    'abandon',
    'ability',
    'able',
    'about',
    'above',
  ]);
});

test('suggests a disk without the files, preferably a removable one', () => {
  const location = {
    path: '/a',
    folder: '/a/Holdfast',
    label: 'A',
    freeBytes: 1,
    totalBytes: 2,
    holdsBackups: false,
  } as const;
  const own = { ...location, kind: 'system', isSameDisk: true } as const;
  const inside = { ...location, path: '/b', kind: 'internal', isSameDisk: false } as const;
  const outside = { ...location, path: '/c', kind: 'external', isSameDisk: false } as const;
  expect(suggestedDestination([own])).toBeUndefined();
  expect(suggestedDestination([own, inside])).toBe('disk /b');
  expect(suggestedDestination([own, inside, outside])).toBe('disk /c');
});
