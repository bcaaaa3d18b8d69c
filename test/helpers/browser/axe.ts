import type axe from 'axe-core';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright';

const SOURCE = fileURLToPath(import.meta.resolve('axe-core/axe.min.js'));

/**
 * Returns axe's findings on a page without frames.
 *
 * A document keeps axe for the next time, since compiling it takes longer than a run. Passed checks are not reported:
 * describing them takes most of its time.
 */
export async function violations(page: Page): Promise<readonly axe.Result[]> {
  if (page.frames().length > 1) throw new Error('frames are not looked into');
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(await readFile(SOURCE, 'utf8'));
  const results = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run({ resultTypes: ['violations'] }),
  );
  return results.violations;
}

/** Serious and critical findings of axe, as `rule: target`. */
export async function seriousFaults(page: Page): Promise<readonly string[]> {
  return (await violations(page))
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}
