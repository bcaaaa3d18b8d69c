import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Browser } from 'playwright';
import { faultsOf } from './axe.ts';
import { CHROMIUM } from './server.ts';
import { connectToBrowser } from './shared-browser.ts';

/** A page without a fault, but for what stands in its main part. */
const page = (main: string): string =>
  `<!doctype html><html lang="en"><title>Page</title><main><h1>Page</h1>${main}</main></html>`;
const button = (size: number): string =>
  `<button style="width:${size}px;height:${size}px;padding:0;border:0">x</button>`;

describe.skipIf(CHROMIUM === undefined)('axe', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await connectToBrowser();
  });
  afterAll(() => browser?.close());

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
});
