import type { Page } from 'playwright';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import { visibleState } from '../../../src/main/lock/visible-state.ts';
import type { AppState, LockState } from '../../../src/ipc/state.ts';
import { activityAnswers, BACKUP_REPORT, pastRuns } from './activity-answers.ts';
import { callsOf, tabTo } from './keyboard.ts';
import { onboardingAnswers } from './onboarding-answers.ts';
import { restoreAnswers } from './restore-answers.ts';
import { FORM, setsAnswers, THREE } from './sets-answers.ts';
import { NOT_SET_UP, PROTECTED, RUNNING } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { Answers, ShownWindow } from './window-page.ts';

const ANSWERS = setsAnswers(activityAnswers(pastRuns(5), () => BACKUP_REPORT));

/** Answers that come when the test releases them, after the person has done something else. */
describe.skipIf(CHROMIUM === undefined)('late answers', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  async function open(answers: Answers, state: AppState = THREE): Promise<ShownWindow> {
    const shown = await pages.show(state, answers);
    onTestFinished(() => shown.close());
    await shown.page.locator('.frame, .lock-form').waitFor();
    return shown;
  }

  test('a set that loads late does not lead a person back who has opened another view', async () => {
    const late = Promise.withResolvers<undefined>();
    const shown = await open({ ...ANSWERS, 'sets.get': () => late.promise.then(() => ({ form: FORM, command: '' })) });
    const { page } = shown;
    await page.getByRole('button', { name: 'Documents' }).click();
    await page.keyboard.press('Control+4');
    await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor();
    await release(shown, late, 'sets.get');
    await page.getByRole('heading', { level: 1, name: 'Activity' }).waitFor();
    await page.keyboard.press('Control+2');
    await page.getByRole('heading', { level: 1, name: 'Backup sets' }).waitFor();
  });

  test('a set that loads late does not replace the one that is edited', async () => {
    const late = Promise.withResolvers<undefined>();
    const shown = await open({
      ...ANSWERS,
      'sets.get': async ({ set }) => {
        if (set === 'Documents') await late.promise;
        return { form: { ...FORM, name: set }, command: '' };
      },
    });
    const { page } = shown;
    await page.keyboard.press('Control+2');
    await page.getByRole('button', { name: 'Edit Documents' }).click();
    await page.keyboard.press('Control+1');
    await page.keyboard.press('Control+2');
    await page.getByRole('button', { name: 'Edit Photos' }).click();
    await page.getByRole('heading', { name: 'Edit “Photos”' }).waitFor();
    await release(shown, late, 'sets.get');
    await page.getByRole('heading', { name: 'Edit “Photos”' }).waitFor();
  });

  test('a set that is saved late neither closes nor names the one that is added next', async () => {
    const late = Promise.withResolvers<undefined>();
    const shown = await open({ ...ANSWERS, 'sets.add': () => late.promise.then(() => ({ passedOver: [] })) });
    const { page } = shown;
    await page.keyboard.press('Control+2');
    await addSet(page, 'First');
    await page.getByRole('button', { name: 'Create backup set' }).click();
    await expect.poll(() => callsOf(shown, 'sets.add').length).toBe(1);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard changes' }).click();
    await addSet(page, 'Second');
    late.resolve(undefined);
    await page.getByText('“First” is saved.').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Second');
    await page.getByRole('heading', { name: 'New backup set' }).waitFor();
  });

  test('what is changed in the editor while a set is being saved stays there, and can be saved', async () => {
    const late = Promise.withResolvers<undefined>();
    const shown = await open({ ...ANSWERS, 'sets.add': () => late.promise.then(() => ({ passedOver: [] })) });
    const { page } = shown;
    await page.keyboard.press('Control+2');
    await addSet(page, 'First');
    await page.getByRole('button', { name: 'Create backup set' }).click();
    await expect.poll(() => callsOf(shown, 'sets.add').length).toBe(1);
    await page.getByRole('tab', { name: 'Leave out 2 ready-made' }).click();
    await page.getByLabel('Pattern').fill('*.tmp');
    late.resolve(undefined);
    await page.getByText('“First” is saved.').waitFor();
    await page.getByRole('heading', { name: 'Edit “First”' }).waitFor();
    await page.getByText('Not saved yet').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Backup sets' }).waitFor();
    expect(callsOf(shown, 'sets.save')).toMatchObject([{ set: 'First', form: { excludes: ['*.tmp'] } }]);
  });

  test('an editor that opens late leaves the focus in the navigation', async () => {
    const late = Promise.withResolvers<undefined>();
    const shown = await open({ ...ANSWERS, 'sets.get': () => late.promise.then(() => ({ form: FORM, command: '' })) });
    const { page } = shown;
    await page.keyboard.press('Control+2');
    await page.getByRole('button', { name: 'Edit Documents' }).click();
    await page.keyboard.press('F6');
    late.resolve(undefined);
    await page.getByRole('heading', { name: 'Edit “Documents”' }).waitFor();
    await expectFocusInNavigation(shown);
  });

  test('a run whose details load late leaves the focus in the navigation', async () => {
    const late = Promise.withResolvers<undefined>();
    const shown = await open({
      ...ANSWERS,
      'activity.run': async (input) => {
        await late.promise;
        return ANSWERS['activity.run']!(input);
      },
    });
    const { page } = shown;
    await page.keyboard.press('Control+4');
    await page.locator('.act-row').first().click();
    await tabTo(shown, /^All activity$/);
    await page.keyboard.press('F6');
    late.resolve(undefined);
    await page.getByRole('heading', { name: 'Backup of “Documents”' }).waitFor();
    await expectFocusInNavigation(shown);
  });

  test('a restore that begins elsewhere leaves the focus in the navigation', async () => {
    const shown = await open(restoreAnswers());
    const { page } = shown;
    await page.keyboard.press('Control+3');
    await page.locator('[role=row][data-index="0"]').waitFor();
    await page.keyboard.press('F6');
    await shown.setState({ ...PROTECTED, runs: [{ ...RUNNING, kind: 'restore' }] });
    await page.getByRole('grid').waitFor({ state: 'detached' });
    await expectFocusInNavigation(shown);
  });

  test('a run that begins late stays closed if the person has left the one before it', async () => {
    const late = Promise.withResolvers<undefined>();
    const shown = await open({ ...ANSWERS, 'runs.backup': () => late.promise.then(() => ({ run: 996 })) });
    const { page } = shown;
    await page.keyboard.press('Control+4');
    await page.locator('.act-row').first().click();
    await page.getByRole('button', { name: 'Back up now' }).click();
    await page.getByRole('button', { name: 'All activity' }).click();
    await page.getByRole('heading', { name: 'Activity' }).waitFor();
    await release(shown, late, 'runs.backup');
    await page.getByRole('heading', { name: 'Activity' }).waitFor();
  });

  test('a check that begins late leads nowhere if its dialog was closed', async () => {
    const late = Promise.withResolvers<undefined>();
    const shown = await open({ ...ANSWERS, 'runs.verify': () => late.promise.then(() => ({ run: 996 })) });
    const { page } = shown;
    await page.keyboard.press('Control+4');
    await page.locator('.act-row').filter({ hasText: 'Check of' }).first().click();
    await page.getByRole('button', { name: 'Check again…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Check' }).click();
    await expect.poll(() => callsOf(shown, 'runs.verify').length).toBe(1);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const before = callsOf(shown, 'activity.run').length;
    await release(shown, late, 'runs.verify');
    expect(callsOf(shown, 'activity.run').length).toBe(before);
  });

  test.each([
    ['keys', (page: Page) => page.keyboard.press('Home')],
    ['a press', (page: Page) => page.locator('[role=row][data-index="0"]').click()],
  ])('a row that is looked for in a new order does not replace the one that is chosen by %s', async (_by, choose) => {
    const late = Promise.withResolvers<undefined>();
    const shown = await open(longFolder(late.promise), PROTECTED);
    const { page } = shown;
    await page.keyboard.press('Control+3');
    await page.getByText('file 3').waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    await expect.poll(() => currentRow(page)).toBe('file 399');
    await page.getByRole('button', { name: 'Size' }).click();
    await page.getByRole('grid').focus();
    await page.getByRole('grid').evaluate((grid: { scrollTop: number }) => void (grid.scrollTop = 0));
    await page.getByText('file 100').waitFor();
    await choose(page);
    await expect.poll(() => currentRow(page)).toBe('file 100');
    await release(shown, late, 'restore.rows');
    expect(await currentRow(page)).toBe('file 100');
  });

  test('a name that is found late does not replace the row that is pressed', async () => {
    const late = Promise.withResolvers<undefined>();
    const shown = await open(
      { ...longFolder(), 'restore.jump': () => late.promise.then(() => ({ row: 7 })) },
      PROTECTED,
    );
    const { page } = shown;
    await page.keyboard.press('Control+3');
    await page.getByText('file 3').waitFor();
    await page.getByRole('grid').focus();
    await page.keyboard.press('f');
    await page.locator('[role=row][data-index="3"]').click();
    await expect.poll(() => currentRow(page)).toBe('file 3');
    await release(shown, late, 'restore.jump');
    expect(await currentRow(page)).toBe('file 3');
  });

  test('the newest wish of a file manager wins', async () => {
    const late = Promise.withResolvers<undefined>();
    const shown = await open(
      restoreAnswers({
        'sets.locate': async ({ path }) => {
          if (path === '/first') await late.promise;
          return {};
        },
      }),
      PROTECTED,
    );
    await shown.ask({ previousVersions: '/first' });
    await shown.ask({ previousVersions: '/second' });
    const second = shown.page.getByText('No backup set includes /second, so there are no previous versions of it.');
    await second.waitFor();
    await release(shown, late, 'sets.locate');
    await second.waitFor();
  });

  test('a sign-in that ends late leads nowhere after a step back', async () => {
    const late = Promise.withResolvers<undefined>();
    const answers = onboardingAnswers();
    const shown = await pages.show(NOT_SET_UP, {
      ...answers,
      'setup.sign-in': (input) => late.promise.then(() => answers['setup.sign-in']!(input)),
    });
    onTestFinished(() => shown.close());
    const { page } = shown;
    await signIn(page);
    await expect.poll(() => callsOf(shown, 'setup.sign-in').length).toBe(1);
    await page.getByRole('button', { name: 'Back' }).click();
    const step = page.getByRole('heading', { name: 'Where should your backups go?' });
    await step.waitFor();
    await release(shown, late, 'setup.sign-in');
    await step.waitFor();
  });

  test('a code that is refused late leaves the focus where it was moved', async () => {
    const late = Promise.withResolvers<undefined>();
    const answers = onboardingAnswers();
    const shown = await pages.show(NOT_SET_UP, {
      ...answers,
      'setup.verify-factor': (input) => late.promise.then(() => answers['setup.verify-factor']!(input)),
    });
    onTestFinished(() => shown.close());
    const { page } = shown;
    await signIn(page);
    await page.getByRole('textbox', { name: '6-digit code' }).fill('111111');
    await page.keyboard.press('Enter');
    await expect.poll(() => callsOf(shown, 'setup.verify-factor').length).toBe(1);
    await tabTo(shown, /^Back$/);
    late.resolve(undefined);
    await page.getByText(/This code is wrong\./).waitFor();
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Back');
  });

  test('a destination that was tested late leads nowhere after another one was chosen', async () => {
    const late = Promise.withResolvers<undefined>();
    const answers = onboardingAnswers();
    const shown = await pages.show(NOT_SET_UP, {
      ...answers,
      'setup.try': (input) => late.promise.then(() => answers['setup.try']!(input)),
    });
    onTestFinished(() => shown.close());
    const { page } = shown;
    await page.getByRole('radio', { name: /Backup disk/, checked: true }).waitFor();
    const test = page.getByRole('button', { name: 'Test this destination' });
    await test.click();
    await page.getByRole('radio', { name: /Archive/ }).check({ force: true });
    await release(shown, late, 'setup.try');
    await page.getByRole('heading', { name: 'Where should your backups go?' }).waitFor();
    await test.click();
    await page.getByRole('heading', { name: 'This destination works' }).waitFor();
    expect(callsOf(shown, 'setup.try').at(-1)).toMatchObject({ choice: { path: '/mnt/archive' } });
  });

  test('a first backup that begins late does not lead home from another view', async () => {
    const late = Promise.withResolvers<undefined>();
    const shown = await pages.show(
      { ...PROTECTED, sets: [], needs: [{ kind: 'phrase-unconfirmed' }] },
      onboardingAnswers({ 'runs.backup': () => late.promise.then(() => ({ run: 1 })) }),
    );
    onTestFinished(() => shown.close());
    const { page } = shown;
    await page.getByRole('button', { name: 'Do this later' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Continue and remind me' }).click();
    await page.getByRole('button', { name: 'Start the first backup' }).click();
    await expect.poll(() => callsOf(shown, 'runs.backup').length).toBe(1);
    await page.getByRole('button', { name: 'Choose folders later' }).click();
    await page.getByRole('navigation').waitFor();
    await page.keyboard.press('Control+4');
    const activity = page.getByRole('heading', { level: 1, name: 'Activity' });
    await activity.waitFor();
    await release(shown, late, 'runs.backup');
    await activity.waitFor();
  });

  test('a refused lock password leaves the focus and the next attempt alone', async () => {
    const late = Promise.withResolvers<undefined>();
    const lock: LockState = { isOn: true, isLocked: true, canAskSystem: false, locksOnClose: false, idleMinutes: 0 };
    const shown = await open(
      {
        'lock.unlock': async () => {
          await late.promise;
          throw new HoldfastError('lock_password_wrong');
        },
      },
      visibleState(PROTECTED, lock),
    );
    const { page } = shown;
    await page.getByLabel('Password').fill('wrong one');
    await page.keyboard.press('Enter');
    await page.getByLabel('Password').fill('the next one');
    await tabTo(shown, /forgot/);
    late.resolve(undefined);
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Password').inputValue()).toBe('the next one');
    expect(await page.evaluate('document.activeElement.textContent')).toMatch(/forgot/);
  });
});

/** Lets an answer arrive, and waits until the page has drawn what it makes of it. */
async function release(
  shown: ShownWindow,
  late: { readonly resolve: (value: undefined) => void },
  name: string,
): Promise<void> {
  await expect.poll(() => callsOf(shown, name).length).toBeGreaterThan(0);
  late.resolve(undefined);
  await setImmediate();
  for (let frame = 0; frame < 3; frame += 1) {
    await shown.page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
  }
}

/** A folder of two pages of rows. By size, the second one comes late, and so does the row that was the last by name. */
function longFolder(late?: Promise<undefined>): Answers {
  return restoreAnswers({
    'restore.open': ({ order }) => ({ listing: order!.by }),
    'restore.rows': async ({ listing, from, count }) => {
      if (listing === 'size' && from > 0) await late;
      const entries = Array.from({ length: 400 }, (_, index) => {
        const number = listing === 'size' ? (index + 100) % 400 : index;
        const name = `file ${number}`;
        return { path: `/${name}`, name, type: 'file' as const, size: number, modified: '2026-01-02T03:04:05Z' };
      });
      return { entries: entries.slice(from, from + count), total: 400, isComplete: true, isSorted: true };
    },
  });
}

function currentRow(page: Page): Promise<string | undefined> {
  return page.evaluate(`(() => {
    const id = document.querySelector('[role=grid]').getAttribute('aria-activedescendant');
    return id && document.getElementById(id)?.querySelector('.restore-name')?.textContent;
  })()`);
}

async function signIn(page: Page): Promise<void> {
  await page.getByRole('radio', { name: /A Holdfast service/ }).check({ force: true });
  await page.getByRole('textbox', { name: 'Address of the service' }).fill('https://backup.example.org');
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'E-mail address' }).fill('anna@example.org');
  await page.getByRole('textbox', { name: 'Password' }).fill('secret');
  await page.keyboard.press('Enter');
}

async function addSet(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'New backup set' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Pictures' }).click();
}

async function expectFocusInNavigation({ page }: ShownWindow): Promise<void> {
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
  expect(await page.evaluate('document.activeElement.closest("nav") !== null')).toBe(true);
}
