import { existsSync } from 'node:fs';
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

/** Starts one Chromium that every test file of a run connects to. Each page gets its own context there. */
export async function startBrowser(): Promise<{ readonly address: string; readonly stop: () => Promise<void> }> {
  // The GPU process would draw with the CPU, at several times the cost of drawing without it. Pages live for a second: optimizing
  // their scripts takes a tenth of the browser's processor time and never pays.
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--js-flags=--no-opt --no-maglev',
    `--disable-features=${LEFT_OUT.join(',')}`,
  ];
  const server = await playwright.launchServer({ executablePath: CHROMIUM!, args, host: '127.0.0.1' });
  return { address: server.wsEndpoint(), stop: () => server.close() };
}
