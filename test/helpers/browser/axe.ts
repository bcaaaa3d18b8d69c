import type axe from 'axe-core';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright';

const SOURCE = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'));

/** WCAG 2.2 up to level AA, and what axe's authors recommend beyond it. */
export const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** What another scheme changes in a page that was examined before: it takes a third of the time of everything. */
export const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block'];
/** What another size changes in a page that was examined before. */
const RULES_OF_SIZES = ['scrollable-region-focusable', 'target-size'];
export type Scope = 'everything' | 'colours' | 'sizes';
/** Rules of these tags that axe leaves out unless they are named. */
const RULES = { 'target-size': { enabled: true } };
/** What may be outside of landmarks: axe's own list, and the buttons that React Aria puts around the dialog of a popover. */
const CHECKS = {
  region: { options: { regionMatcher: 'dialog, [role=dialog], [role=alertdialog], svg, .ui-popover' } },
};

/**
 * Returns axe's findings of every severity on a page without frames.
 *
 * A document keeps axe for the next time, since compiling it takes longer than a run. Passed checks are not reported:
 * describing them takes most of its time. The page's policy allows no script of others, so the page evaluates it.
 */
async function violations(page: Page, scope: Scope): Promise<readonly axe.Result[]> {
  if (page.frames().length > 1) throw new Error('frames are not looked into');
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(await readFile(SOURCE, 'utf8'));
  const options: axe.RunOptions & { readonly checks: typeof CHECKS } = {
    ...(scope === 'everything'
      ? { runOnly: TAGS, rules: RULES }
      : { runOnly: { type: 'rule', values: scope === 'colours' ? RULES_OF_COLOURS : RULES_OF_SIZES } }),
    checks: CHECKS,
    resultTypes: ['violations'],
  };
  const results = await page.evaluate(
    (given) => (globalThis as unknown as { axe: typeof axe }).axe.run(given),
    options,
  );
  return results.violations;
}

/** A view that a dialog covers scrolls, and is out of reach by intent. Its live regions are not, so axe does not see that. */
const COVERED = 'scrollable-region-focusable: #content';

/** Returns the findings of axe, as `rule: target`. */
export async function faultsOf(page: Page, scope: Scope = 'everything'): Promise<readonly string[]> {
  const found = (await violations(page, scope)).flatMap(({ id, nodes }) =>
    nodes.map(({ target }) => `${id}: ${target.join(' ')}`),
  );
  const isCovered = (await page.getByRole('dialog').or(page.getByRole('alertdialog')).count()) > 0;
  return isCovered ? found.filter((fault) => fault !== COVERED) : found;
}
