import { _electron, chromium } from 'playwright';
import type { Browser, BrowserContext, ElectronApplication, Frame, Page } from 'playwright';

/** What finds elements by a name or a text. */
type Finder = Pick<
  Frame,
  'getByRole' | 'getByText' | 'getByLabel' | 'getByPlaceholder' | 'getByAltText' | 'getByTitle'
>;

const BY_TEXT = ['getByText', 'getByLabel', 'getByPlaceholder', 'getByAltText', 'getByTitle'] as const;

/** Prototypes whose names are exact. */
const exactOnes = new Set<Finder>();

/** The door to Playwright for all tests, in which names are exact: see `exactly`. The linter refuses others. */
export const playwright = {
  launch: async (options: Parameters<typeof chromium.launch>[0]): Promise<Browser> =>
    withExactNames(await chromium.launch(options)),

  connectOverCDP: async (address: string, options: { readonly timeout: number }): Promise<Browser> =>
    withExactNames(await chromium.connectOverCDP(address, options)),

  launchElectron: async (options: Parameters<typeof _electron.launch>[0]): Promise<ElectronApplication> => {
    const app = await _electron.launch(options);
    watch(app.context());
    return app;
  },
};

function withExactNames(browser: Browser): Browser {
  for (const context of browser.contexts()) watch(context);
  return browser.on('context', watch);
}

function watch(context: BrowserContext): void {
  for (const page of context.pages()) makeExact(page);
  context.on('page', makeExact);
}

/** Playwright exports no classes; the first page leads to those of all pages of the process. A page asks its main frame. */
function makeExact(page: Page): void {
  for (const one of [page.mainFrame(), page.locator('html'), page.frameLocator('iframe')]) {
    const finder = Object.getPrototypeOf(one) as Finder;
    if (!exactOnes.has(finder)) exactly(finder);
    exactOnes.add(finder);
  }
}

/**
 * Has a string find what is named so, and nothing whose name contains it, as Playwright would: what is shown later, or in
 * another state, may contain it. A part of a name is a regular expression, which says so.
 */
function exactly(finder: Finder): void {
  const { getByRole } = finder;
  finder.getByRole = function (role, options) {
    return getByRole.call(this, role, exact(options));
  };
  for (const name of BY_TEXT) {
    const original = finder[name];
    finder[name] = function (text, options) {
      return original.call(this, text, exact(options));
    };
  }
}

function exact<Options extends { readonly exact?: boolean }>(options?: Options): Options & { readonly exact: true } {
  if (options?.exact !== undefined) throw new Error('names are exact: leave “exact” out, and write a part as a RegExp');
  return { ...(options as Options), exact: true };
}
