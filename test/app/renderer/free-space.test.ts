import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HoldfastError } from '../../../src/base/errors/errors.ts';
import type { AppState } from '../../../src/ipc/state.ts';
import { NOW, PROTECTED } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { Answers } from './window-page.ts';

const SPACE = {
  isSole: true,
  others: [],
  reserveBytes: 0,
  nowBytes: 12_000_000,
  interruptedBytes: 3_000_000,
  keepsDeleted: false,
  later: [{ at: NOW + 86_400_000, bytes: 5_000_000, because: 'locked' as const, waitsFor: [] }],
};
const FULL: AppState = {
  ...PROTECTED,
  health: 'attention',
  needs: [{ kind: 'failed', set: 'Documents', failure: { code: 'destination_full', details: {} }, at: NOW }],
};

describe.skipIf(CHROMIUM === undefined)('the way out of a full destination', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  test('shows what can be freed at that destination, with all that a person has to know, and frees it', async () => {
    const asked: unknown[] = [];
    const shown = await pages.show(FULL, {
      'destination.space': (input) => {
        asked.push(input);
        return SPACE;
      },
      'destination.free': (input) => {
        asked.push(input);
        return { ...SPACE, freedBytes: 12_000_000, keptBytes: 0, isFull: false };
      },
    });
    const [full] = PROTECTED.destinations;
    const dialog = shown.page.getByRole('dialog', { name: `Free up space at “${full!.name}”` });
    await shown.page.getByRole('button', { name: 'Free up space…' }).click();
    for (const sentence of [
      /^12\sMB can be freed now/,
      /^3\sMB of it were stored/,
      /^This computer is the only one/,
      /^5\sMB can be freed after/,
    ]) {
      await dialog.getByText(sentence).waitFor();
    }
    await dialog.getByRole('button', { name: 'Keep fewer restore points…' }).waitFor();
    await dialog.getByRole('button', { name: 'Free space' }).click();
    await shown.page.getByText(/^Freed 12\sMB at “/).waitFor();
    await dialog.waitFor({ state: 'hidden' });
    expect(asked).toEqual([{ destination: full!.id }, { destination: full!.id, waivesDays: true }]);
    await shown.close();
  });

  test('can be closed while it is planned and while it is freed, which goes on', async () => {
    const planned = Promise.withResolvers<typeof SPACE>();
    const freed = Promise.withResolvers<
      typeof SPACE & { readonly freedBytes: number; readonly keptBytes: number; readonly isFull: boolean }
    >();
    const { page, close } = await open({
      'destination.space': () => planned.promise,
      'destination.free': () => freed.promise,
    });
    const dialog = page.getByRole('dialog');
    const press = (name: string): Promise<void> => dialog.getByRole('button', { name }).click();
    await page.getByRole('button', { name: 'Free up space…' }).click();
    await press('Cancel');
    await dialog.waitFor({ state: 'hidden' });
    planned.resolve(SPACE);
    await page.getByRole('button', { name: 'Free up space…' }).click();
    await press('Free space');
    await dialog
      .getByRole('status')
      .getByText('Space is being freed. This goes on if you close this message.')
      .waitFor();
    await expect.poll(() => dialog.getByRole('button').allInnerTexts()).toEqual(['Close', 'Free space']);
    await press('Close');
    await dialog.waitFor({ state: 'hidden' });
    freed.resolve({ ...SPACE, freedBytes: 12_000_000, keptBytes: 0, isFull: false });
    await page.getByText(/^Freed 12\sMB at “/).waitFor();
    await close();
  });

  test('says that a bucket keeps old versions of what is deleted, before and after', async () => {
    const space = { ...SPACE, keepsDeleted: true };
    const { page, close } = await open({
      'destination.space': () => space,
      'destination.free': () => ({ ...space, freedBytes: 0, keptBytes: 12_000_000, isFull: false }),
    });
    await page.getByRole('button', { name: 'Free up space…' }).click();
    await page
      .getByRole('dialog')
      .getByText(/^The bucket keeps old versions of what is deleted\./)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Free space' }).click();
    await page.getByText(/still has 12\sMB that were deleted, as old versions\.$/).waitFor();
    await close();
  });

  test('offers nothing to free where there is nothing, and closes after a failed plan', async () => {
    const nothing = { ...SPACE, nowBytes: 0, interruptedBytes: 0, later: [] };
    let isThere = false;
    const { page, close } = await open({
      'destination.space': () => {
        if (!isThere) throw new HoldfastError('destination_missing', { directory: '/media/anna' });
        return nothing;
      },
    });
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Free up space…' }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByRole('button', { name: 'Cancel' }).count()).toBe(1);
    isThere = true;
    await dialog.getByRole('button', { name: 'Try again' }).click();
    await dialog.getByText('Nothing can be freed now.').waitFor();
    expect(await dialog.getByRole('button').allInnerTexts()).toEqual(['Close', 'Keep fewer restore points…']);
    await close();
  });

  async function open(answers: Answers): Promise<{ readonly page: Page; readonly close: () => Promise<void> }> {
    const shown = await pages.show(FULL, answers);
    return { page: shown.page, close: () => shown.close() };
  }
});
