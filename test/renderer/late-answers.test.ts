import type { Page } from 'playwright';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { HoldfastError } from '../../src/base/errors/errors.ts';
import { visibleState } from '../../src/main/lock/visible-state.ts';
import type { AppState, LockState } from '../../src/ipc/state.ts';
import { activityAnswers, BACKUP_REPORT, pastRuns } from './activity-answers.ts';
import { callsOf, tabTo } from './keyboard.ts';
import { restoreAnswers } from './restore-answers.ts';
import { FORM, setsAnswers, THREE } from './sets-answers.ts';
import { PROTECTED, RUNNING } from './states.ts';
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
    await page.getByRole('button', { name: 'Documents', exact: true }).click();
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
    await page.getByRole('heading', { name: 'Edit “Photos”' }).waitFor({ timeout: 5_000 });
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
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await addSet(page, 'Second');
    late.resolve(undefined);
    await page.getByText('“First” is saved.').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('Second');
    await page.getByRole('heading', { name: 'New backup set' }).waitFor({ timeout: 5_000 });
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
    await page.getByRole('heading', { name: 'Activity' }).waitFor({ timeout: 5_000 });
  });

  test('a check that begins late leads nowhere if its dialog was closed', async () => {
    const late = Promise.withResolvers<undefined>();
    const shown = await open({ ...ANSWERS, 'runs.verify': () => late.promise.then(() => ({ run: 996 })) });
    const { page } = shown;
    await page.keyboard.press('Control+4');
    await page.locator('.act-row').filter({ hasText: 'Check of' }).first().click();
    await page.getByRole('button', { name: 'Check again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Check', exact: true }).click();
    await expect.poll(() => callsOf(shown, 'runs.verify').length).toBe(1);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const before = callsOf(shown, 'activity.run').length;
    await release(shown, late, 'runs.verify');
    expect(callsOf(shown, 'activity.run').length).toBe(before);
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

async function addSet(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'New backup set' }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Pictures' }).click();
}

async function expectFocusInNavigation({ page }: ShownWindow): Promise<void> {
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))');
  expect(await page.evaluate('document.activeElement.closest("nav") !== null')).toBe(true);
}
