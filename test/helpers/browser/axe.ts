import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright';

type Violation = Awaited<ReturnType<AxeBuilder['analyze']>>['violations'][number];

/**
 * Returns axe's findings on a page without frames.
 *
 * Its usual mode opens a second page each time to merge the findings of frames, which these pages lack. Passed checks are
 * not reported: describing them takes most of its time.
 */
export async function violations(page: Page): Promise<readonly Violation[]> {
  if (page.frames().length > 1) throw new Error('frames are not looked into');
  const builder = new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).setLegacyMode(true);
  return (await builder.analyze()).violations;
}

/** Serious and critical findings of axe, as `rule: target`. */
export async function seriousFaults(page: Page): Promise<readonly string[]> {
  return (await violations(page))
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
}
