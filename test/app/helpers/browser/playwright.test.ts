import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Browser, FrameLocator, Locator, Page } from 'playwright';
import { CHROMIUM, testBrowser } from '../../../helpers/browser/server.ts';

/** Things of each kind, of which one is named “Backup” and the other has a name that contains it in another case. */
const BODY = ['Backup', 'Last backup']
  .map(
    (name) => `<button>${name}</button><p>${name}</p><label>${name}<input placeholder="${name}"></label>
      <img alt="${name}" src="data:,"><i title="${name}">x</i>`,
  )
  .join('');

type Finder = Page | Locator | FrameLocator;

describe.skipIf(CHROMIUM === undefined)('a name in a test', () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await testBrowser();
    page = await browser.newPage();
    await page.setContent(`${BODY}<iframe srcdoc='${BODY}'></iframe>`);
    await page.frameLocator('iframe').locator('i').last().waitFor();
  });
  afterAll(() => page?.context().close());

  const places: readonly (readonly [name: string, place: () => Finder])[] = [
    ['a page', () => page],
    ['an element', () => page.locator('body')],
    ['an element in a frame', () => page.frameLocator('iframe').locator('body')],
    ['a frame', () => page.frameLocator('iframe')],
  ];
  const kinds: readonly (readonly [kind: string, find: (place: Finder, name: string | RegExp) => Locator])[] = [
    ['role', (place, name) => place.getByRole('button', { name })],
    ['text', (place, name) => place.getByText(name).and(place.getByRole('paragraph'))],
    ['label', (place, name) => place.getByLabel(name)],
    ['placeholder', (place, name) => place.getByPlaceholder(name)],
    ['alternative text', (place, name) => place.getByAltText(name)],
    ['title', (place, name) => place.getByTitle(name)],
  ];
  const cases = places.flatMap(([of, place]) => kinds.map(([kind, find]) => [kind, of, find, place] as const));

  test.each(cases)('is the whole %s in %s, unless it is a regular expression', async (_kind, _of, find, place) => {
    expect(await find(place(), 'Backup').count()).toBe(1);
    expect(await find(place(), 'backup').count()).toBe(0);
    expect(await find(place(), /backup/i).count()).toBe(2);
  });

  test.each([true, false])('has no other way to say so: exact is %s', (exact) => {
    expect(() => page.getByText('Backup', { exact })).toThrow('write a part as a RegExp');
    expect(() => page.locator('body').getByRole('button', { name: 'Backup', exact })).toThrow('as a RegExp');
  });
});
