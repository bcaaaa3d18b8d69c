import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CUT_OFF } from '../../../helpers/browser/cut-off.ts';
import { IS_THOROUGH } from '../../../helpers/thorough.ts';
import { inLanguage } from '../appearance.ts';
import { onboardingAnswers } from '../onboarding-answers.ts';
import { NOT_SET_UP, PROTECTED, RUNNING } from '../states.ts';
import { CHROMIUM, WindowPages } from '../window-page.ts';
import type { ShownWindow } from '../window-page.ts';
import { everyView, WHOLE, WHOLE_ANSWERS } from './every-view.ts';

/** 1280 × 1024 at 400 % as WCAG 1.4.10 measures it, and the smallest window at 200 %, which is a little larger. */
const MAGNIFIED = [{ width: 320, height: 256 }, ...(IS_THOROUGH ? [{ width: 360, height: 260 }] : [])];
/** A window of 1280 × 800 at 200 %, in which axe looks at what scrolls. */
const USUAL_AT_200 = { width: 640, height: 400 };
const FOLDER = join(import.meta.dirname, '../../../../test-results/magnified');
const HAS_PICTURES = (process.env['HOLDFAST_PICTURES'] ?? '') !== '';

describe.skipIf(CHROMIUM === undefined)('a magnified window', () => {
  let pages: WindowPages;
  beforeAll(async () => {
    if (HAS_PICTURES) mkdirSync(FOLDER, { recursive: true });
    pages = await WindowPages.open();
  });
  afterAll(() => pages?.close());

  async function cutIn(shown: ShownWindow, name: string): Promise<readonly string[]> {
    const { page } = shown;
    const cut: string[] = [];
    for (const size of MAGNIFIED) {
      await page.setViewportSize(size);
      await page.evaluate(NEXT_FRAMES);
      const at = `${name} at ${size.width}`;
      if (HAS_PICTURES) await page.screenshot({ path: join(FOLDER, `${at.replaceAll(/\W+/g, '-')}.png`) });
      const wide = await shown.overflow();
      if (wide > 0) cut.push(`${at} is wider than the window by ${wide}`);
      cut.push(...(await page.evaluate<string[]>(CUT_OFF)).map((part) => `${at}: ${part}`));
      cut.push(...(await page.evaluate<string[]>(OUTSIDE)).map((part) => `${at}: ${part} is outside`));
    }
    return cut;
  }

  test('shows every view without scrolling sideways, cut texts and findings of axe', async () => {
    const shown = await pages.show(WHOLE, WHOLE_ANSWERS);
    const cut: string[] = [];
    await shown.page.getByRole('heading', { level: 1 }).waitFor();
    for await (const name of everyView(shown.page)) {
      await shown.page.setViewportSize(USUAL_AT_200);
      await shown.page.evaluate(NEXT_FRAMES);
      cut.push(...(await shown.faults('sizes')).map((fault) => `${name} at ${USUAL_AT_200.width}: ${fault}`));
      await shown.setState(inLanguage(WHOLE, 'de'));
      await shown.page.locator('html[lang=de]').waitFor();
      cut.push(...(await cutIn(shown, name)));
      await shown.setState(inLanguage(WHOLE, 'en'));
      await shown.page.locator('html[lang^=en]').waitFor();
      await shown.page.setViewportSize({ width: 1000, height: 700 });
    }
    await shown.close();
    expect(cut).toEqual([]);
  });

  test('moves nothing while a backup runs if the system asks for less motion', async () => {
    const shown = await pages.show({ ...PROTECTED, health: 'running', runs: [{ ...RUNNING, phase: 'scanning' }] });
    await shown.page.getByRole('progressbar').first().waitFor();
    const moving = (): Promise<number> => shown.page.evaluate('document.getAnimations().length');
    expect(await moving()).toBe(0);
    await shown.page.emulateMedia({ reducedMotion: 'no-preference' });
    await expect.poll(moving).toBeGreaterThan(0);
    await shown.close();
  });

  test('shows the first steps without scrolling sideways', async () => {
    const shown = await pages.show(NOT_SET_UP, onboardingAnswers(), { locale: 'de-DE' });
    await shown.page.getByText('Backup disk').first().waitFor();
    expect(await cutIn(shown, 'first')).toEqual([]);
    await shown.close();
  });
});

/** Waits until the window has rendered what a new size changes in the layouts that ask for the width by script. */
const NEXT_FRAMES = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';

/** Lists controls that stick out of the window sideways and cannot be scrolled to. Runs in the page. */
const OUTSIDE = `[...document.querySelectorAll('button, a, input, select, [role=tab], [role=option]')]
  .filter((part) => part.checkVisibility({ visibilityProperty: true }) && !part.closest('.ui-hidden, [data-scrolls-sideways]'))
  .filter((part) => {
    const { left, right, width } = part.getBoundingClientRect();
    return width > 2 && (left < -1 || right > innerWidth + 1);
  })
  .map((part) => part.localName + ' “' + (part.ariaLabel || part.textContent).trim().slice(0, 40) + '”')`;
