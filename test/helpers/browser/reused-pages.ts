import type { Browser, Page } from 'playwright';

/**
 * Pages that tests use one after the other. A test loads what it shows anew and finds no cookies, so that it shares nothing
 * with the one before; starting a process for each would take three times as long.
 */
export class ReusedPages {
  readonly #browser: Browser;
  /** Pages that nobody uses, by language. */
  readonly #spare = new Map<string, Page[]>();
  readonly #used = new Set<Page>();

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** Closes the pages. @param kept the language of those to keep for another file, but for what a test left open */
  async close(kept?: string): Promise<void> {
    const spare = [...this.#spare].filter(([locale]) => locale !== kept);
    for (const [locale] of spare) this.#spare.delete(locale);
    const open = [...this.#used, ...spare.flatMap(([, pages]) => pages)];
    this.#used.clear();
    for (const page of open) await page.context().close();
  }

  /** Opens a page in a context of its own. */
  async open(locale: string): Promise<Page> {
    const page = this.#spare.get(locale)?.pop() ?? (await (await this.#browser.newContext({ locale })).newPage());
    this.#used.add(page);
    return page;
  }

  /**
   * Takes a page back, once: giving it back again has no effect. Its clock must not have been replaced, which cannot be undone.
   *
   * @param isLeft false if what was shown may stay until the next test shows something
   */
  async giveBack(page: Page, locale: string, isLeft = true): Promise<void> {
    if (!this.#used.delete(page)) return;
    // Ends the timers and connections of what was shown.
    if (isLeft) await page.goto('about:blank');
    await page.mouse.move(-1, -1);
    await page.unrouteAll({ behavior: 'wait' });
    await page.context().clearCookies();
    page.removeAllListeners('console').removeAllListeners('pageerror');
    this.#spare.set(locale, [...(this.#spare.get(locale) ?? []), page]);
  }
}
