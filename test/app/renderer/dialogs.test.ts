import type { Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { AppState } from '../../../src/ipc/state.ts';
import { LIBRARIES } from '../../../src/renderer/features/settings/about/libraries.ts';
import { accountAnswers } from './account-answers.ts';
import { activityAnswers, BACKUP_REPORT, pastRuns } from './activity-answers.ts';
import { restoreAnswers } from './restore-answers.ts';
import { PRESETS, setsAnswers, THREE } from './sets-answers.ts';
import { AT_SERVICE, NOW } from './states.ts';
import { untranslated } from './untranslated.ts';
import type { Value } from './untranslated.ts';
import { CHROMIUM, WindowPages } from './window-page.ts';
import type { Answers, ShownWindow } from './window-page.ts';

const ANSWERS: Answers = {
  ...setsAnswers(),
  ...restoreAnswers(),
  ...activityAnswers(pastRuns(4), () => BACKUP_REPORT),
  ...accountAnswers(),
  'devices.list': () => ({
    devices: [
      { id: 'a', name: 'Anna’s laptop', isThisOne: true, status: 'healthy' },
      { id: 'b', name: 'Studio', isThisOne: false, status: 'offline', lastSeen: new Date(NOW - 9e8).toISOString() },
    ],
    canRevoke: true,
  }),
  'security.state': () => ({
    protection: 'file',
    location: '/home/anna/secrets.json',
    isKeychainAvailable: true,
    phrase: 'confirmed',
  }),
  'report.get': () => ({ hasPassword: false }),
  'shell.abilities': () => ({
    startAtLogin: true,
    fileManagers: true,
    tray: true,
    notifications: true,
    platform: 'linux',
    locale: 'en',
  }),
  'shell.reveal-phrase': () => ({ isAsked: false, words: Array.from({ length: 24 }, () => 'zebra') }),
  'diagnostics.text': () => ({ text: '/diagnostics' }),
  'crashes.list': () => ({ reports: [] }),
};
const STATE: AppState = {
  ...THREE,
  destination: AT_SERVICE.destination,
  destinations: AT_SERVICE.destinations,
  needs: [{ kind: 'warnings', set: 'Photos', run: 11, count: 2 }],
  preferences: { ...THREE.preferences, language: 'pseudo' },
};
const DATA: readonly Value[] = [
  ...LIBRARIES.flatMap(({ name, licence }) => [name, licence]),
  // react-aria's text for an empty number.
  'Empty',
  ...PRESETS.flatMap(({ patterns }) => patterns),
  'Documents',
  'Photos',
  'Projects',
  'projects',
  'Pictures',
  'Music',
  'anna',
  'Studio',
  'zebra',
  'Old PC',
  'Archive',
  'Anna’s laptop',
  'https://backup.example.org',
  'backup.example.org',
  'anna@example.org',
  'todo.txt',
  'Invoices',
  'Thesis',
  'tax return.pdf',
  'budget 2026.ods',
  'notes.md',
  'letter to the landlord.odt',
  'Pseudo',
  /^@[a-z][a-z-]*\/[a-z][a-z0-9.-]*$/,
  /\bToday,/,
  /\bselected\b/,
  /\b(First|Last) available date\b/,
  /\b(Next|Previous)\b/,
  /holdfast (set add|retention set)[^\n]*/,
  /\/[\w/. -]+(…[\w/. -]*)?/,
  /[…/][^\n\]]*\.tiff/,
];
const OPENED = '[role="dialog"], [role="alertdialog"], [role="menu"], .ui-popover [role="listbox"]';

/** Returns the view, with the state of its buttons, and whether something covers it. Runs in the page. */
const SHOWN = `[
  document.querySelector('main').innerText,
  ...[...document.querySelectorAll('main button, main input')].map((part) =>
    [part.disabled, part.ariaPressed, part.ariaExpanded, part.ariaSelected, part.checked, part.value].join()),
  document.querySelectorAll('${OPENED}').length,
].join('\\n')`;

/** Lists texts that are cut off without an ellipsis, and dialogs that do not fit. Runs in the page. */
const CUT = `[...document.querySelectorAll('main *, [role=dialog] *, [role=alertdialog] *, [role=menu] *')]
  .filter((part) => part.checkVisibility({ visibilityProperty: true }) && part.childElementCount === 0)
  .filter((part) => {
    const { overflowX, textOverflow, clip } = getComputedStyle(part);
    return overflowX !== 'visible' && overflowX !== 'auto' && textOverflow !== 'ellipsis' && clip === 'auto'
      && part.clientWidth > 1 && part.scrollWidth > part.clientWidth + 1;
  })
  .map((part) => 'cut: ' + part.textContent)
  .concat([...document.querySelectorAll('.ui-modal, [role=menu]')]
    .filter((part) => {
      const { width, left, top, right, bottom } = part.getBoundingClientRect();
      const isOutside = left < 0 || top < 0 || right > innerWidth + 1 || bottom > innerHeight + 1;
      return width > 0 && (isOutside || part.scrollWidth > part.clientWidth + 1);
    })
    .map((part) => 'too large: ' + part.textContent.slice(0, 60)))`;

/** Presses every button, and checks what opens and which failures are shown. */
class Crawl {
  readonly #shown: ShownWindow;
  readonly found: string[] = [];
  opened = 0;

  constructor(shown: ShownWindow) {
    this.#shown = shown;
  }

  /** @param reset restores the view in which the buttons are counted */
  async everyButton(reset: () => Promise<void>): Promise<void> {
    await reset();
    const count = await this.#page.locator('main button:not([disabled])').count();
    const first = await this.#page.evaluate<string>(SHOWN);
    const again = async (): Promise<void> => {
      await this.close();
      if ((await this.#page.evaluate<string>(SHOWN)) !== first) await reset();
    };
    for (let at = 0; at < count; at += 1) {
      if (at > 0) await again();
      const button = this.#page.locator('main button:not([disabled])').nth(at);
      if (!(await button.isVisible().catch(() => false))) continue;
      await button.click({ timeout: 5_000 });
      await this.#look();
      const items = await this.#page.getByRole('menuitem').count();
      for (let item = 0; item < items; item += 1) {
        if (item > 0) {
          await again();
          await button.click({ timeout: 5_000 });
        }
        await this.#page.getByRole('menuitem').nth(item).click();
        await this.#look();
      }
    }
  }

  /** Closes the dialogs, menus and lists that are open. */
  async close(): Promise<void> {
    for (let more = 0; more < 4 && (await this.#page.locator(OPENED).count()) > 0; more += 1) {
      await this.#page.keyboard.press('Escape');
    }
  }

  get #page(): Page {
    return this.#shown.page;
  }

  async #look(): Promise<void> {
    await this.#shown.settle();
    if ((await this.#page.locator(OPENED).count()) > 0) this.opened += 1;
    this.found.push(...(await untranslated(this.#page, DATA)), ...(await this.#page.evaluate<string[]>(CUT)));
    if ((await this.#shown.overflow()) > 0) this.found.push('wider than the window');
  }
}

describe.skipIf(CHROMIUM === undefined)('every button, in the pseudo-locale and the smallest window', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  test.each([
    ['1', 0, 1],
    ['2', 0, 3],
    ['3', 0, 2],
    ['4', 0, 3],
    ['5', 0, 1],
    ['6', 5, 5],
  ] as const)('view %s has no text outside of the catalogues, and none that is cut off', async (key, tabs, least) => {
    const shown = await pages.show(STATE, ANSWERS, { width: 720, height: 520 });
    onTestFinished(() => shown.close());
    const { page } = shown;
    await page.getByRole('heading', { level: 1 }).waitFor();
    const crawl = new Crawl(shown);
    for (let tab = 0; tab < Math.max(1, tabs); tab += 1) {
      await crawl.everyButton(async () => {
        await crawl.close();
        await page.keyboard.press(key === '1' ? 'Control+2' : 'Control+1');
        await page.keyboard.press('Escape');
        await page.keyboard.press(`Control+${key}`);
        await page.keyboard.press('Escape');
        await page.locator('.ui-wait').first().waitFor({ state: 'detached' });
        if (tabs > 0) await page.getByRole('tab').nth(tab).click();
      });
    }
    expect([...new Set(crawl.found)]).toEqual([]);
    expect(crawl.opened).toBeGreaterThanOrEqual(least);
  });
});
