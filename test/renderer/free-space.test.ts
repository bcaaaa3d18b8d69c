import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AppState } from '../../src/ipc/state.ts';
import { NOW, PROTECTED } from './states.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';

const SPACE = {
  isSole: true,
  others: [],
  reserveBytes: 0,
  nowBytes: 12_000_000,
  interruptedBytes: 3_000_000,
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
        return { ...SPACE, freedBytes: 12_000_000, isFull: false };
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
    await dialog.getByRole('button', { name: 'Free space', exact: true }).click();
    await shown.page.getByText(/^Freed 12\sMB at “/).waitFor();
    await dialog.waitFor({ state: 'hidden' });
    expect(asked).toEqual([{ id: full!.id }, { id: full!.id, waivesDays: true }]);
    await shown.close();
  });
});
