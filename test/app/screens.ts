import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright';
import { expect } from 'vitest';
import { faultsOf } from '../helpers/browser/axe.ts';
import { CUT_OFF } from '../helpers/browser/cut-off.ts';
import { IS_THOROUGH } from '../helpers/thorough.ts';
import type { ElectronFixture } from './electron-fixture.ts';

/** A usual window, which a test has before and after. */
const USUAL = [1280, 800] as const;
/** The size of the pictures in the guide. */
const GUIDE = [1000, 700] as const;
const folder = join(dirname(dirname(import.meta.dirname)), 'test-results/screens');
/** Whether to write pictures for a person to look at. They take half of the processor time. */
export const HAS_PICTURES = (process.env['HOLDFAST_PICTURES'] ?? '') !== '';

/**
 * The smallest window, in light: what real data change in a view. `test/app/renderer` has every view in both schemes and in other sizes,
 * with more texts than a real home has. Pictures, and a run of every look, have both here as well.
 */
const SIZES: readonly (readonly [width: number, height: number])[] =
  HAS_PICTURES || IS_THOROUGH ? [[720, 520], USUAL] : [[720, 520]];
const SCHEMES: readonly ('light' | 'dark')[] = HAS_PICTURES || IS_THOROUGH ? ['light', 'dark'] : ['light'];

/** Shows the real window in its looks, and lists the faults in each. */
export class Screens {
  readonly #fixture: ElectronFixture;
  readonly #page: Page;

  constructor(fixture: ElectronFixture, page: Page) {
    this.#fixture = fixture;
    this.#page = page;
    if (HAS_PICTURES) mkdirSync(folder, { recursive: true });
  }

  /** @returns findings of axe, pages wider than the window, and texts that are cut off */
  async look(name: string): Promise<readonly string[]> {
    const found: string[] = [];
    for (const [width, height] of SIZES) {
      await this.#resize(width, height);
      for (const colorScheme of SCHEMES) {
        await this.#page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        const picture = `${name}-${width}-${colorScheme}`;
        if (HAS_PICTURES) await this.#page.screenshot({ path: join(folder, `${picture}.png`) });
        if (await this.#isTooWide()) found.push(`${picture} is wider than the window`);
        found.push(...(await this.#page.evaluate<string[]>(CUT_OFF)).map((part) => `${picture}: ${part} is cut off`));
        // The rules of axe do not depend on the size, and few on the scheme.
        if (width === SIZES[0]![0]) {
          const scope = colorScheme === 'light' ? 'everything' : 'colours';
          found.push(...(await faultsOf(this.#page, scope)).map((fault) => `${picture}: ${fault}`));
        }
      }
    }
    if (HAS_PICTURES) await this.#drawForGuide(name);
    // In the small one views hide what the test uses next.
    await this.#resize(...USUAL);
    return found;
  }

  async #drawForGuide(name: string): Promise<void> {
    await this.#resize(...GUIDE);
    await this.#page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    await this.#page.screenshot({ path: join(folder, `${name}-1000-light.png`) });
    await this.#page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce', forcedColors: 'active' });
    await this.#page.screenshot({ path: join(folder, `${name}-1000-forced.png`) });
    await this.#page.emulateMedia({ forcedColors: null });
  }

  async #resize(width: number, height: number): Promise<void> {
    await this.#fixture.app.evaluate(
      ({ BrowserWindow }, size) => BrowserWindow.getAllWindows()[0]!.setContentSize(...size),
      [width, height] as [number, number],
    );
    // The page's policy forbids what `waitForFunction` does after its first attempt.
    await expect
      .poll(() => this.#page.evaluate(`Math.abs(innerWidth - ${width}) < 2 && Math.abs(innerHeight - ${height}) < 2`))
      .toBe(true);
  }

  async #isTooWide(): Promise<boolean> {
    return this.#page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
  }
}
