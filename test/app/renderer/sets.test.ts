import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import type { AppState } from '../../../src/ipc/state.ts';
import { estimateOf, FORM, PRESETS, setsAnswers, THREE, THREE_RUNNING } from './sets-answers.ts';
import { expectSound, inLanguage, APPEARANCES } from './appearance.ts';
import { AT_SERVICE, PROTECTED, BUCKET, SEVERAL } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { Answers, PageOptions, ShownWindow } from './window-page.ts';

/** Data in the answers. */
const VALUES = [
  ...PRESETS.flatMap(({ patterns }) => patterns),
  'Documents',
  'Photos',
  'Projects',
  'projects',
  'Archive',
  'Invoices',
  'Thesis',
  'Music',
  'Pictures',
  'anna',
  'Anna’s laptop',
  'todo.txt',
  '*.iso',
  'tax return.pdf',
  /\/(home|media|Archive)[^\n\]]*/,
  'no such database',
  /holdfast (set add|retention set)[^\n]*/,
];
const HOME = '/home/anna';

describe.skipIf(CHROMIUM === undefined)('sets view', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  async function open(answers?: Answers, state: AppState = THREE, options: PageOptions = {}): Promise<ShownWindow> {
    const shown = await pages.show(state, setsAnswers(answers), options);
    onTestFinished(() => shown.close());
    shown.page.setDefaultTimeout(60_000);
    await shown.page.getByRole('navigation').getByRole('button').nth(1).click();
    return shown;
  }

  test.each(APPEARANCES)('fits and is accessible at $width×$height, $colorScheme, in $language', async (look) => {
    const shown = await open({}, inLanguage(THREE_RUNNING, look.language), look);
    const { page } = shown;
    await page.locator('.sets-list').waitFor();
    await expectSound(shown, look, VALUES);
    await page.locator('.sets-list li').first().getByRole('button').nth(1).click();
    await page.locator('[role=treeitem]').nth(4).waitFor();
    for (const tab of await page.getByRole('tab').all()) {
      await tab.click();
      await page.locator('[role=tabpanel]:not([inert])').waitFor();
      await page.locator('.ui-wait').first().waitFor({ state: 'detached' });
      await expectSound(shown, look, VALUES);
    }
  });

  test('breaks a list of folders between them', async () => {
    const roots = ['Documents', 'Pictures', 'Desktop', 'Projects'].map((name) => `${HOME}/of/some/length/${name}`);
    const [first, ...others] = THREE.sets;
    const shown = await open({}, { ...THREE, sets: [{ ...first!, roots }, ...others] }, { width: 720, height: 520 });
    const shownRoots = shown.page.locator('.set-root');
    await shownRoots.first().waitFor();
    const heights = [];
    for (const one of (await shownRoots.all()).slice(0, 3)) heights.push((await one.boundingBox())!.height);
    // A broken one is as high as two lines.
    expect(Math.max(...heights)).toBeLessThan(30);
  });

  test('shows folders, schedule and last backup of each set', async () => {
    const shown = await open();
    const { page } = shown;
    const photos = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Photos' }) });
    await photos.getByText('and one more folder').waitFor();
    await photos.getByText(/on battery \(31\s?%\)/).waitFor();
    await photos.getByText('· 41,020 files, 318 GB').waitFor();
    await photos.getByText('Interrupted').waitFor();
    await photos.getByText('The next backup resumes where this one stopped.').waitFor();
    await page.getByText('Not backed up yet').waitFor();

    await photos.getByRole('button', { name: /Back up now/ }).click();
    await expect.poll(() => lastCall(shown)).toEqual({ name: 'runs.backup', input: { set: 'Photos' } });
    await page.getByRole('button', { name: 'More for Photos' }).click();
    await page.getByRole('menuitem', { name: 'Check backups…' }).click();
    await page.getByText('Everything').click();
    await page.getByRole('button', { name: 'Start checking' }).click();
    await expect
      .poll(() => lastCall(shown))
      .toEqual({ name: 'runs.verify', input: { set: 'Photos', samplePercent: 100 } });

    await shown.setState(THREE_RUNNING);
    await page.getByRole('progressbar').waitFor();
    await page.getByRole('button', { name: /^Stop/ }).click();
    await expect.poll(() => lastCall(shown)).toEqual({ name: 'runs.stop', input: { run: 13 } });
  });

  test('saves commands by a call that asks the person, and fills in the addresses of pings', async () => {
    let isSaved = false;
    const after = { line: 'sync', timeoutSeconds: 30 };
    const shown = await open({
      'shell.save-hooks': () => ({ isSaved }),
      'sets.hooks': (input) => (isSaved ? { commands: { after }, results: {} } : setsAnswers()['sets.hooks']!(input)),
    });
    const { page } = shown;
    await page.getByRole('button', { name: 'Edit Documents' }).click();
    const tab = page.getByRole('tab', { name: /^Before and after/ });
    await expect.poll(() => tab.textContent()).toContain('2 commands · 1 address');
    await tab.click();
    await page.getByText('Failed 1 hour ago with exit code 7').waitFor();
    await page.getByText('What it wrote').click();
    await page.getByText('no such database').waitFor();
    await page.getByText('No answer 2 hours ago').waitFor();

    const save = page.getByRole('button', { name: 'Save commands…' });
    expect(await save.isDisabled()).toBe(true);
    await page.getByLabel('Before each backup').fill('');
    await page.getByLabel('After each backup').fill('sync');
    await save.click();
    // The time-out that the command line has set stays.
    await expect
      .poll(() => lastCall(shown))
      .toEqual({ name: 'shell.save-hooks', input: { set: 'Documents', commands: { after } } });
    expect(await save.isEnabled()).toBe(true);
    isSaved = true;
    await save.click();
    await page.getByText('The commands are saved.').waitFor();
    expect(await save.isDisabled()).toBe(true);
    await expect.poll(() => tab.textContent()).toContain('1 command · 1 address');

    await page.getByRole('button', { name: 'Fill in the others as for Healthchecks' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    const saved = (): unknown => shown.calls.find(({ name }) => name === 'sets.save')?.input;
    await expect.poll(saved).toMatchObject({
      form: {
        pings: {
          start: 'https://hc-ping.com/0b1c/start',
          success: 'https://hc-ping.com/0b1c',
          fail: 'https://hc-ping.com/0b1c/fail',
        },
      },
    });
  });

  test('removes a set after a confirmation, and shows a refusal', async () => {
    let isBusy = true;
    const shown = await open({
      'sets.remove': () => {
        if (isBusy) throw new HoldfastError('home_busy');
        return {};
      },
    });
    const { page } = shown;
    await page.getByRole('button', { name: 'More for Projects' }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/Its restore points are kept/).waitFor();
    await dialog.getByRole('button', { name: 'Remove backup set' }).click();
    await dialog.getByRole('alert').waitFor();
    isBusy = false;
    await dialog.getByRole('button', { name: 'Remove backup set' }).click();
    await page.getByText('“Projects” is removed. Its restore points are kept.').waitFor();
    expect(lastCall(shown)).toEqual({ name: 'sets.remove', input: { set: 'Projects' } });
  });

  test('marks what a new set lacks, and saves all of it', async () => {
    const shown = await open(
      { 'sets.add': () => ({ passedOver: [`${HOME}/.local/share/holdfast`] }) },
      { ...PROTECTED, sets: [] },
    );
    const { page } = shown;
    await page.getByText('Nothing is backed up yet').waitFor();
    await page.getByRole('button', { name: 'New backup set' }).click();
    await page.getByRole('button', { name: 'Create backup set' }).click();
    await page.getByText('Give it a name.').waitFor();
    await page.getByText('Choose at least one folder.').waitFor();
    await page.getByLabel('Name').fill('My things');
    await page.getByRole('button', { name: 'Pictures' }).click();
    await page.getByText('1,000 files, 2.5 GB to back up').waitFor();

    await tree(page, 'anna').waitFor();
    await check(page, 'Documents');
    await tree(page, 'Documents').click();
    await tree(page, 'Thesis').waitFor();
    await check(page, 'Thesis');
    expect(await checkedOf(page, 'Documents')).toBe('mixed');
    expect(await checkedOf(page, 'Thesis')).toBe('false');
    expect(await checkedOf(page, 'Invoices')).toBe('true');
    expect(await checkedOf(page, 'anna')).toBe('mixed');

    await tab(page, 'Leave out');
    await page.locator('.cut-text').filter({ hasText: 'Leaves out ~/.cache/  ~/.local' }).waitFor();
    // The rules scroll in their box, and the page does not.
    expect(
      await page.evaluate(
        "(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector('main'))",
      ),
    ).toBe(0);
    await page.getByRole('textbox', { name: 'Pattern' }).fill('*.iso');
    // Before it is added, and once afterwards.
    await page.getByText('2 files left out, saves 4.7 GB').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove the rule *.iso' }).waitFor();
    await page.getByText('2 files left out, saves 4.7 GB').click();
    await page.getByText('/home/anna/Documents/debian.iso').waitFor();
    await page.getByRole('textbox', { name: 'Pattern' }).fill('*.iso');
    await page.keyboard.press('Enter');
    await page.getByText('This rule already exists.').waitFor();
    // A typed pattern that was not added is saved, too.
    await page.getByRole('textbox', { name: 'Pattern' }).fill('*.bak');

    await tab(page, 'When');
    await page.getByText('Backs up every hour.').waitFor();
    await select(page, 'How often', 'On certain weekdays');
    await page.getByRole('checkbox', { name: 'Saturday' }).check({ force: true });
    await page.getByText(/^Backs up on Monday, .*Saturday at 12:00/).waitFor();
    await page.getByText(/^Next times:/).waitFor();
    await select(page, 'How often', 'By a cron rule');
    await page.getByRole('textbox', { name: 'Cron rule' }).fill('0 0 31 2 *');
    await page.getByText('This rule never matches a date.').first().waitFor();
    await page.getByRole('button', { name: 'Create backup set' }).click();
    expect(shown.calls.some(({ name }) => name === 'sets.add')).toBe(false);
    await select(page, 'How often', 'On certain weekdays');
    await page.getByText(/Saturday at 12:00/).waitFor();

    await tab(page, 'Conditions');
    await page.getByRole('switch', { name: 'Not over metered networks' }).check({ force: true });
    await page.getByRole('switch', { name: 'Only on certain Wi-Fi networks' }).check({ force: true });
    await page.getByRole('button', { name: 'Create backup set' }).click();
    await page.getByText('Add at least one network, or turn this off.').waitFor();
    await page.getByRole('textbox', { name: 'Network name' }).fill('Home Wi-Fi');
    await page.keyboard.press('Enter');

    await tab(page, 'Limits');
    // No switches without effect.
    await page.getByText('Your backups go to storage of your own. Network limits apply to services only.').waitFor();
    expect(await page.getByRole('switch', { name: 'Limit uploading' }).count()).toBe(0);
    await shown.setState({
      ...AT_SERVICE,
      sets: [],
    });
    await page.getByRole('switch', { name: 'Limit uploading' }).check({ force: true });
    await page.getByText('Always run slowly').click();
    await tab(page, 'Keep');
    await page.getByText('Thin out over time').click();
    await tab(page, 'Check');
    await page.getByText('Every 30 days 5% of what is stored is checked.').waitFor();
    await tab(page, 'Command');
    await page.getByText(/^holdfast set add 'My things' /).waitFor();
    await page.getByText("holdfast retention set --daily 30 'My things'").waitFor();
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByText('Copied').waitFor();

    await page.getByRole('button', { name: 'Create backup set' }).click();
    await page.getByText('“My things” is saved.').waitFor();
    await page.getByText(`${HOME}/.local/share/holdfast`).waitFor();
    expect(shown.calls.find(({ name }) => name === 'sets.add')?.input).toEqual({
      form: {
        name: 'My things',
        roots: [`${HOME}/Pictures`, `${HOME}/Documents`],
        excludes: ['/Thesis/', '*.iso', '*.bak'],
        presets: ['linux', 'browsers'],
        oneFileSystem: false,
        privateNames: false,
        schedule: 'cron 0 12 * * 1,2,3,4,5,6',
        conditions: { notMetered: true, networks: ['Home Wi-Fi'] },
        limits: { uploadKiB: 1024, priority: 'low' },
        verification: { everyDays: 30, samplePercent: 5 },
        drill: { everyDays: 7 },
      },
    });
    expect(shown.calls.find(({ name }) => name === 'sets.retention.save')?.input).toMatchObject({ set: 'My things' });
    expect(shown.errors).toEqual([]);
  });

  test('keeps what was entered, asks before discarding it, and shows a refusal', async () => {
    let refuses = true;
    const shown = await open({
      'sets.save': () => {
        if (refuses) throw new HoldfastError('source_missing', { path: '/srv/data' });
        return { passedOver: [] };
      },
    });
    const { page } = shown;
    await page.getByRole('button', { name: 'Edit Documents' }).click();
    await tree(page, 'Documents').waitFor();
    await page.getByRole('button', { name: 'Choose folder…' }).click();
    await page.getByRole('button', { name: 'Do not back up data' }).waitFor();
    await page.getByText('Not saved yet').waitFor();
    // Opens another view and returns.
    await page.keyboard.press('Control+1');
    await page.keyboard.press('Control+2');
    await page.getByRole('button', { name: 'Do not back up data' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Discard your changes?' }).waitFor();
    // Keys do not act behind the dialog.
    await page.keyboard.press('Control+1');
    await page.getByRole('button', { name: 'Keep editing' }).click();

    await page.keyboard.press('Control+s');
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Do not back up data' }).waitFor();
    refuses = false;
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('“Documents” is saved.').waitFor();
    expect(shown.calls.findLast(({ name }) => name === 'sets.save')?.input).toEqual({
      set: 'Documents',
      form: { ...FORM, roots: [...FORM.roots, '/srv/data'] },
    });
    // The policy did not change.
    expect(shown.calls.some(({ name }) => name === 'sets.retention.save')).toBe(false);
  });

  test('shows what a preset leaves out, and includes a folder in it that is chosen', async () => {
    const form = { ...FORM, roots: [HOME] };
    const shown = await open({
      'sets.get': () => ({ form, command: '' }),
      'shell.choose-folder': () => ({ path: `${HOME}/.cache/thing` }),
    });
    const { page } = shown;
    await page.getByRole('button', { name: 'Edit Documents' }).click();
    await tree(page, 'anna').waitFor();
    await page.getByRole('checkbox', { name: 'Show hidden files and folders' }).check({ force: true });
    await tree(page, '.cache').waitFor();
    expect([await checkedOf(page, '.cache'), await checkedOf(page, '.config')]).toEqual(['false', 'true']);
    await page.getByRole('button', { name: 'Choose folder…' }).click();
    await expect.poll(() => checkedOf(page, '.cache')).toBe('mixed');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('“Documents” is saved.').waitFor();
    expect(shown.calls.findLast(({ name }) => name === 'sets.save')?.input).toMatchObject({
      form: { roots: [HOME], excludes: [...FORM.excludes, '!/.cache/', '/.cache/*', '!/.cache/thing/'] },
    });
  });

  test('states no size of a folder before anything of it is counted', async () => {
    const shown = await open({
      'sets.estimate': (input) => ({ ...estimateOf(input), files: 0, bytes: 0, done: false }),
    });
    const { page } = shown;
    await page.getByRole('button', { name: 'Edit Documents' }).click();
    await page.locator('.set-line').nth(2).waitFor();
    await expect.poll(() => shown.calls.some(({ name }) => name === 'sets.estimate')).toBe(true);
    await page.locator('.set-line-size[data-growing]').first().waitFor({ state: 'attached' });
    expect(await page.locator('.set-line-size').allInnerTexts()).not.toContainEqual(expect.stringMatching(/^0\sB$/));
  });

  test('says that the policy is unknown while the destination cannot be asked', async () => {
    const shown = await open({
      'sets.retention': () => {
        throw new HoldfastError('destination_missing', { directory: '/media/anna/Backup disk' });
      },
    });
    const { page } = shown;
    await page.getByRole('button', { name: 'Edit Documents' }).click();
    await page.getByRole('tab', { name: /^Keep\s+Unknown at present$/ }).waitFor();
  });

  test('switches the timer of systemd, where its package is installed', async () => {
    const timer = { isOn: false, isInstalled: true, withoutLogin: 'yes', user: 'anna' } as const;
    let isInstalled = false;
    const shown = await open({
      'shell.abilities': () => ({
        startAtLogin: true,
        fileManagers: true,
        tray: true,
        notifications: true,
        platform: 'linux',
        locale: 'en-GB',
      }),
      'sets.timer': () => ({ ...timer, isInstalled }),
      'sets.timer.save': ({ isOn }) => ({ ...timer, isOn }),
    });
    const { page } = shown;
    const part = page.getByRole('region', { name: 'While nobody is signed in' });
    const openPart = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Edit Documents' }).click();
      await tab(page, 'When');
      await part.waitFor();
    };
    await openPart();
    await part.getByText(/Install the package “holdfast-cli”/).waitFor();
    expect(await part.getByRole('switch').isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Cancel' }).click();
    isInstalled = true;
    await openPart();
    await part.getByText('Back up every hour, also without a login').click();
    await expect.poll(() => part.getByRole('switch').isChecked()).toBe(true);
    expect(shown.calls.findLast(({ name }) => name === 'sets.timer.save')?.input).toEqual({
      set: 'Documents',
      isOn: true,
    });
  });

  test('previews what a policy would remove', async () => {
    const shown = await open();
    const { page } = shown;
    await page.getByRole('button', { name: 'Edit Documents' }).click();
    await tab(page, 'Keep');
    await page.getByText('12 restore points would be deleted').waitFor();
    await page.getByText(/This frees 3\.1\sGB on /).waitFor();
    await page.getByRole('button', { name: 'Show which' }).click();
    const gone = page.locator('.set-paths li');
    await expect.poll(() => gone.count()).toBe(12);
    expect((await gone.allTextContents()).join()).not.toMatch(/\b21\d\d\b/);
    await page.getByRole('textbox', { name: 'Days' }).fill('5');
    await page.keyboard.press('Tab');
    await expect
      .poll(() => shown.calls.findLast(({ name }) => name === 'sets.retention.preview')?.input)
      .toEqual({ set: 'Documents', policy: { keepAllDays: 7, daily: 5, monthly: 12 } });
    expect(shown.calls.some(({ name }) => name === 'sets.retention.save')).toBe(false);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('“Documents” is saved.').waitFor();
    expect(shown.calls.find(({ name }) => name === 'sets.retention.save')?.input).toEqual({
      set: 'Documents',
      policy: { keepAllDays: 7, daily: 5, monthly: 12 },
    });
  });

  test('gives a policy to a set that keeps everything', async () => {
    const shown = await open({ 'sets.retention': () => ({ policy: {} }) });
    const { page } = shown;
    await page.getByRole('button', { name: 'Edit Documents' }).click();
    await tab(page, 'Keep');
    await expect.poll(() => page.getByRole('radio', { name: /^Keep everything/ }).isChecked()).toBe(true);
    await page.getByRole('radio', { name: /^Thin out/ }).check({ force: true });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('“Documents” is saved.').waitFor();
    expect(shown.calls.find(({ name }) => name === 'sets.retention.save')?.input).toEqual({
      set: 'Documents',
      policy: { keepAllDays: 7, daily: 30, weekly: 12, monthly: 24 },
    });
  });

  test('shows the focus at the heading of a section, not around the whole editor', async () => {
    const { page } = await open({ 'sets.retention': () => new Promise(() => undefined) as never });
    await page.getByRole('button', { name: 'Edit Documents' }).click();
    await tab(page, 'Keep');
    await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate('document.activeElement.getAttribute("role")')).toBe('tabpanel');
    const ring = (part: string): Promise<unknown> => page.evaluate(`getComputedStyle(${part}).outlineStyle`);
    expect(await ring('document.activeElement')).toBe('none');
    expect(await ring('document.activeElement.querySelector("h2")')).toBe('solid');
  });

  test('says that a destination without policies keeps everything, and has no editor for them', async () => {
    const { page } = await open({ 'sets.retention': () => ({ policy: null }) });
    await page.getByRole('button', { name: 'Edit Documents' }).click();
    await tab(page, 'Keep');
    await page.getByText('This destination keeps every restore point.').waitFor();
    expect(await page.getByRole('radio', { name: /^Thin out/ }).count()).toBe(0);
  });

  test('keeps a policy for all destinations, and one for a single destination', async () => {
    const shown = await open();
    const { page } = shown;
    await shown.setState(SEVERAL);
    await page.getByRole('button', { name: 'Edit Documents' }).click();
    await tab(page, 'Keep');
    await page.getByText('What you change here applies to all destinations.').waitFor();
    await page.getByRole('button', { name: /All destinations$/ }).click();
    await page.getByRole('option', { name: BUCKET.name }).click();
    await page.getByText('What you change here applies to this destination only.').waitFor();
    await page.getByRole('textbox', { name: 'Days' }).fill('5');
    await page.keyboard.press('Tab');
    const policy = { keepAllDays: 7, daily: 5, monthly: 12 };
    await expect
      .poll(() => shown.calls.findLast(({ name }) => name === 'sets.retention.preview')?.input)
      .toEqual({ set: 'Documents', policy, destination: BUCKET.id });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('“Documents” is saved.').waitFor();
    expect(shown.calls.filter(({ name }) => name === 'sets.retention.save').map(({ input }) => input)).toEqual([
      { set: 'Documents', policy, destination: BUCKET.id },
    ]);
  });

  test('moves through the tree by keyboard, and draws few of thousands of files', async () => {
    const shown = await open();
    const { page } = shown;
    await page.getByRole('button', { name: 'Edit Documents' }).click();
    await tree(page, 'Documents').waitFor();
    await page.getByRole('tree').focus();
    await page.keyboard.press('p');
    await expect.poll(() => current(page)).toBe('Pictures');
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Do not back up Pictures' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await tree(page, 'IMG_0000.jpg').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Space');
    await expect.poll(() => checkedOf(page, 'IMG_0000.jpg')).toBe('false');
    await page.keyboard.press('End');
    await page.keyboard.press('PageUp');
    expect(await page.getByRole('treeitem').count()).toBeLessThan(80);
    await page.keyboard.press('Home');
    await page.keyboard.press('p');
    await expect.poll(() => current(page)).toBe('Pictures');
    await page.keyboard.press('ArrowLeft');
    await tree(page, 'IMG_0000.jpg').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('“Documents” is saved.').waitFor();
    const { form } = shown.calls.findLast(({ name }) => name === 'sets.save')!.input as { form: typeof FORM };
    expect([form.roots, form.excludes]).toEqual([
      [`${HOME}/Documents`, `${HOME}/Pictures`],
      ['*.iso', '/Archive/', '/IMG_0000.jpg'],
    ]);
  });
});

function lastCall({ calls }: ShownWindow): unknown {
  return calls.at(-1);
}

function tree(page: Page, name: string): ReturnType<Page['locator']> {
  return page.locator('[role=treeitem]').filter({ has: page.getByText(name) });
}

function check(page: Page, name: string): Promise<void> {
  return tree(page, name).locator('[data-part=check]').click();
}

function checkedOf(page: Page, name: string): Promise<string | null> {
  return tree(page, name).getAttribute('aria-checked');
}

function current(page: Page): Promise<string | null> {
  return page.evaluate(`(() => {
    const id = document.querySelector('[role=tree]').getAttribute('aria-activedescendant');
    return id && document.getElementById(id).querySelector('.set-line-name')?.textContent;
  })()`);
}

function tab(page: Page, name: string): Promise<void> {
  return page.getByRole('tab', { name: new RegExp(`^${name}`) }).click();
}

async function select(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('button', { name: new RegExp(label) }).click();
  await page.getByRole('option', { name: option }).click();
}
