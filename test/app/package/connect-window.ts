import { setTimeout as pause } from 'node:timers/promises';
import type { Browser } from 'playwright';
import { playwright } from '../../helpers/browser/playwright.ts';

interface Target {
  readonly type: string;
  readonly title: string;
  readonly url: string;
}

/**
 * Connects Playwright to the DevTools port of a program once its window has its page: it may wait for ever for a page that opens
 * meanwhile.
 *
 * @param address as the program prints it, with `ws:`
 */
export async function connectToWindow(address: string, patienceMs: number): Promise<Browser> {
  const list = `http://${new URL(address).host}/json/list`;
  for (;;) {
    const targets = (await (await fetch(list)).json()) as readonly Target[];
    // The title is the page's own once it has been shown.
    if (targets.some(({ type, title }) => type === 'page' && title.includes('Holdfast'))) break;
    await pause(200);
  }
  return playwright.connectOverCDP(address, { timeout: patienceMs });
}
