import type { Page } from 'playwright';

/** Begins to record what the live regions of a page say from now on: each text that appears in one or replaces another. */
export async function listen(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(LISTEN);
  return () => page.evaluate<string[]>('window.holdfastTestSaid.splice(0)');
}

/** Runs in the page. */
const LISTEN = `(() => {
  const said = (window.holdfastTestSaid = []);
  const texts = new WeakMap();
  const regions = () => document.querySelectorAll(
    '[role=status], [role=alert], [role=log], output, [aria-live=polite], [aria-live=assertive]');
  const textOf = (region) => region.textContent.trim().replace(/\\s+/g, ' ');
  for (const region of regions()) texts.set(region, textOf(region));
  new MutationObserver(() => {
    for (const region of regions()) {
      const text = textOf(region);
      if (text !== '' && text !== texts.get(region)) said.push(text);
      texts.set(region, text);
    }
  }).observe(document.body, { subtree: true, childList: true, characterData: true });
})()`;
