import type { Browser, Page } from 'playwright';

/**
 * Pages that tests use one after the other. A test loads what it shows anew and finds no cookies, so that it shares nothing
 * with the one before; starting a process for each would take three times as long.
 */
export class ReusedPages {
  readonly #browser: Browser;
  /** Pages that nobody uses, by language. */
  readonly #spare = new Map<string, Page[]>();

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** Opens a page in a context of its own. */
  async open(locale: string): Promise<Page> {
    const spare = this.#spare.get(locale)?.pop();
    return spare ?? (await (await this.#browser.newContext({ locale })).newPage());
  }

  /** Takes a page back. Its clock must not have been replaced, which cannot be undone. */
  async giveBack(page: Page, locale: string): Promise<void> {
    // Ends the timers of what was shown.
    await page.mouse.move(-1, -1);
    await page.unrouteAll();
    await page.context().clearCookies();
    page.removeAllListeners('console').removeAllListeners('pageerror');
    this.#spare.set(locale, [...(this.#spare.get(locale) ?? []), page]);
  }
}
