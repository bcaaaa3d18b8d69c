import type axe from 'axe-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Browser } from 'playwright';
import { faultsOf, RULES_OF_COLOURS, TAGS } from '../../../helpers/browser/axe.ts';
import { CHROMIUM, testBrowser } from '../../../helpers/browser/server.ts';

/** A page without a fault, but for what stands in its main part. */
const page = (main: string): string =>
  `<!doctype html><html lang="en"><title>Page</title><main><h1>Page</h1>${main}</main></html>`;
const button = (size: number): string =>
  `<button style="width:${size}px;height:${size}px;padding:0;border:0">x</button>`;

describe.skipIf(CHROMIUM === undefined)('axe', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await testBrowser();
  });

  test.each([
    ['nothing of a sound page', `${button(24)}${button(24)}`, []],
    ['targets of less than 24 pixels side by side', `${button(12)}${button(12)}`, ['target-size', 'target-size']],
    ['a heading that skips a level, which is moderate', '<h4>Part</h4>', ['heading-order']],
    ['texts of little contrast', '<p style="color:#aaa">pale</p>', ['color-contrast']],
    ['fields without a label', '<input>', ['label']],
  ])('reports %s', async (_case, main, rules) => {
    const opened = await browser.newPage();
    await opened.setContent(page(main));
    expect((await faultsOf(opened)).map((fault) => fault.split(':')[0])).toEqual(rules);
    await opened.close();
  });

  test('reports only what depends on the colours when the rest was examined before', async () => {
    const opened = await browser.newPage();
    const text = '<p style="color:#666">Read <a href="#" style="color:#777;text-decoration:none">this</a> first</p>';
    await opened.setContent(page(`<h4>Part</h4><input>${button(12)}${button(12)}${text}`));
    const rules = new Set((await faultsOf(opened, 'colours')).map((fault) => fault.split(':')[0]));
    expect(rules).toEqual(new Set(RULES_OF_COLOURS));
    const known = await opened.evaluate(
      (tags) => (globalThis as unknown as { axe: typeof axe }).axe.getRules([...tags]),
      TAGS,
    );
    const ofColours = known.filter(({ tags }) => tags.includes('cat.color'));
    expect(new Set(ofColours.map(({ ruleId }) => ruleId))).toEqual(new Set(RULES_OF_COLOURS));
    await opened.close();
  });
});
