import type { Page } from 'playwright';

/**
 * Begins to record what the live regions of a page say from now on: each text that appears in one or replaces another, and the text of each
 * that is no longer hidden, which screen readers take for new.
 */
export async function listen(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.evaluate(LISTEN);
  return () => page.evaluate<string[]>('window.holdfastTestSaid.splice(0)');
}

/** Runs in the page. */
const LISTEN = `(() => {
  const said = (window.holdfastTestSaid = []);
  const texts = new WeakMap();
  const hidden = new WeakSet();
  const regions = () => document.querySelectorAll(
    '[role=status], [role=alert], [role=log], output, [aria-live=polite], [aria-live=assertive]');
  const textOf = (region) => region.textContent.trim().replace(/\\s+/g, ' ');
  const isHidden = (region) => region.closest('[aria-hidden=true], [inert]') !== null;
  for (const region of regions()) texts.set(region, textOf(region));
  new MutationObserver(() => {
    for (const region of regions()) {
      const text = textOf(region);
      if (isHidden(region)) {
        hidden.add(region);
        continue;
      }
      if (text !== '' && (text !== texts.get(region) || hidden.has(region))) said.push(text);
      texts.set(region, text);
      hidden.delete(region);
    }
  }).observe(document.body, { subtree: true, childList: true, characterData: true, attributeFilter: ['aria-hidden', 'inert'] });
})()`;
