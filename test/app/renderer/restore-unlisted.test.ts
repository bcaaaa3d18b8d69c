import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { AppState } from '../../../src/ipc/state.ts';
import type { Need } from '../../../src/model/need.ts';
import { activityAnswers, BACKUP_REPORT, pastRuns } from './activity-answers.ts';
import { expectSoundEverywhere } from './appearance.ts';
import { callsOf } from './keyboard.ts';
import { restoreAnswers } from './restore-answers.ts';
import { BACKUP_DISK, BUCKET, PROTECTED, RUNNING, SEVERAL } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { ShownWindow } from './window-page.ts';

const DOUBTFUL: AppState = { ...PROTECTED, health: 'at-risk', needs: [{ kind: 'points-unlisted' }] };
const SENTENCE = 'Your destination may have newer or other restore points than it lists.';

describe.skipIf(CHROMIUM === undefined)('restoring where newer restore points may exist', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  async function open(state: AppState): Promise<ShownWindow> {
    const shown = await pages.show(state, {
      ...activityAnswers(pastRuns(1), () => BACKUP_REPORT),
      ...restoreAnswers({ 'runs.check': () => ({ run: 13 }) }),
    });
    onTestFinished(() => shown.close());
    await shown.page.getByRole('navigation').getByRole('button').nth(2).click();
    await shown.page.getByRole('grid', { name: 'Files in this restore point' }).waitFor();
    return shown;
  }

  test('says so above the files, and starts the check', async () => {
    const shown = await open(PROTECTED);
    const { page } = shown;
    expect(await page.getByText(SENTENCE).count()).toBe(0);
    await shown.setState(DOUBTFUL);
    await page.getByText(SENTENCE).waitFor();
    await page.getByText(/Check it, then repair it: a repair lists what is there\./).waitFor();
    const button = page.getByRole('button', { name: 'Check the destination…' });
    await shown.setState({ ...DOUBTFUL, runs: [RUNNING] });
    await expect.poll(() => button.isDisabled()).toBe(true);
    await shown.setState(DOUBTFUL);
    await button.click();
    await page.getByRole('button', { name: 'Check' }).click();
    await expect.poll(() => callsOf(shown, 'activity.run').at(-1)).toEqual({ run: 13 });
    expect(callsOf(shown, 'runs.check')).toEqual([{}]);
  });

  test('says so after a check that found damage, too, and leads to the repair', async () => {
    const damaged: Need = { kind: 'destination-damaged', run: 998 };
    const shown = await open({ ...DOUBTFUL, needs: [damaged] });
    const { page } = shown;
    // The damage is in files, and the list is whole.
    expect(await page.getByText(SENTENCE).count()).toBe(0);
    await shown.setState({ ...DOUBTFUL, needs: [{ ...damaged, isDoubtful: true }] });
    await page.getByText(SENTENCE).waitFor();
    await page.getByRole('button', { name: 'Show and repair' }).click();
    await expect.poll(() => callsOf(shown, 'activity.run').at(-1)).toEqual({ run: 998 });
  });

  test('speaks of the destination that is restored from', async () => {
    const [disk, bucket] = [BACKUP_DISK, BUCKET].map(({ id, name }) => ({ id, name }));
    const shown = await open({ ...SEVERAL, needs: [{ kind: 'points-unlisted', destination: bucket }] });
    const { page } = shown;
    const sentence = page.getByText(`“${bucket!.name}” may have newer or other restore points than it lists.`);
    await sentence.waitFor();
    const choose = async (before: string, name: string): Promise<void> => {
      await page.getByRole('button', { name: new RegExp(`${before}$`) }).click();
      await page.getByRole('option', { name }).click();
    };
    await choose('Nearest destination', disk!.name);
    await sentence.waitFor({ state: 'hidden' });
    await choose(disk!.name, bucket!.name);
    await sentence.waitFor();
  });

  test('fits the window in every language and is accessible', { timeout: 300_000 }, async () => {
    const shown = await open(DOUBTFUL);
    await expectSoundEverywhere(shown, DOUBTFUL, [/\bToday,/, 'Documents', 'Anna’s laptop', BACKUP_DISK.name]);
  });
});
