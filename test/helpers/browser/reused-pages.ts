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

  /** Opens a page in a context of its own. */
  async open(locale: string): Promise<Page> {
    const page = this.#spare.get(locale)?.pop() ?? (await (await this.#browser.newContext({ locale })).newPage());
    this.#used.add(page);
    return page;
  }

  /**
   * Takes a page back, once: giving it back again has no effect. Its clock must not have been replaced, which cannot be undone.
   *
   * @param undo removes what the test added to the page, once nothing is shown that calls it
   */
  async giveBack(page: Page, locale: string, undo: () => Promise<void> = async () => undefined): Promise<void> {
    if (!this.#used.delete(page)) return;
    // Ends the timers and connections of what was shown.
    await page.goto('about:blank');
    await page.mouse.move(-1, -1);
    await undo();
    await page.unrouteAll({ behavior: 'wait' });
    await page.context().clearCookies();
    page.removeAllListeners('console').removeAllListeners('pageerror');
    this.#spare.set(locale, [...(this.#spare.get(locale) ?? []), page]);
  }
}
