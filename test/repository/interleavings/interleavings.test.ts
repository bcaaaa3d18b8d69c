import { afterAll, describe, expect, test } from 'vitest';
import { Random } from '../../helpers/random.ts';
import { explore, sample } from './explore.ts';
import { prepared, SCENARIOS } from './scenarios.ts';

/** `npm run campaign -- interleavings` has no such bound. */
const MOST = 3;
const totals: string[] = [];
afterAll(() => {
  console.info(totals.join('\n'));
});

describe('no acknowledged point loses a chunk, and garbage goes, when', () => {
  test.each(SCENARIOS)('$name', async (scenario) => {
    const { start, dispose } = await prepared(scenario);
    const first = await explore(start, MOST);
    const random = await sample(start, 1, new Random(scenario.name.length));
    dispose();
    totals.push(
      `${scenario.name}: ${first.interleavings} in order${first.isComplete ? ' (all)' : ''}, ${random.interleavings} at random`,
    );
    expect(first.interleavings).toBeGreaterThan(0);
  });
});
