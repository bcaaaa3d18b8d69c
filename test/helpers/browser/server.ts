import { existsSync } from 'node:fs';
import type { Browser } from 'playwright';
import { playwright } from './playwright.ts';

/**
 * Path of Debian's Chromium; `undefined` if it is not installed. The headless shell is the same engine without the windows,
 * menus and profiles of a browser, which take about a sixth of the processor time of these tests.
 */
export const CHROMIUM = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => existsSync(path),
);

/**
 * What Chromium leaves out. Only the last list of its arguments counts, so this one repeats Playwright's, as far as it is about
 * pages. `RenderDocument` makes a new frame of every page that a tab loads, which takes a fifth of the processor time of loading
 * the window's page.
 */
const LEFT_OUT = [
  'RenderDocument',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
];

let started: Promise<Browser> | undefined;

/**
 * Returns the Chromium of this process, which the first test file starts that needs it. It ends with the process: whoever opens
 * contexts closes them, and never the browser.
 *
 * One for all processes would have to be spoken to through another process, which takes an eighth of the processor time.
 */
export function testBrowser(): Promise<Browser> {
  started ??= startBrowser();
  return started;
}

function startBrowser(): Promise<Browser> {
  // The GPU process would draw with the CPU, at several times the cost of drawing without it. Pages live for a second: optimizing
  // their scripts takes a tenth of the browser's processor time and never pays.
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--js-flags=--no-opt --no-maglev',
    `--disable-features=${LEFT_OUT.join(',')}`,
  ];
  return playwright.launch({ executablePath: CHROMIUM!, args });
}
