import { existsSync } from 'node:fs';
import { chromium } from 'playwright';

/**
 * Path of Debian's Chromium; `undefined` if it is not installed. The headless shell is the same engine without the windows,
 * menus and profiles of a browser, which take about a sixth of the processor time of these tests.
 */
export const CHROMIUM = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => existsSync(path),
);

/** Starts one Chromium that every test file of a run connects to. Each page gets its own context there. */
export async function startBrowser(): Promise<{ readonly address: string; readonly stop: () => Promise<void> }> {
  // The GPU process would draw with the CPU, at several times the cost of drawing without it.
  const args = ['--no-sandbox', '--disable-gpu'];
  const server = await chromium.launchServer({ executablePath: CHROMIUM!, args, host: '127.0.0.1' });
  return { address: server.wsEndpoint(), stop: () => server.close() };
}
