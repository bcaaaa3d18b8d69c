import { afterAll, describe, expect, test } from 'vitest';
import { Random } from '../../../helpers/random.ts';
import { explore, exploreStops, sample } from './explore.ts';
import { prepared, SCENARIOS } from './scenarios.ts';
import { orThorough } from '../../../helpers/thorough.ts';

/** `npm run campaign -- interleavings` has no such bounds. */
const MOST = orThorough(1, 2);
/** A device stops at one of so many of its calls, which are others in each scenario. */
const STEP = orThorough(6, 3);
const totals: string[] = [];
afterAll(() => {
  console.info(totals.join('\n'));
});

describe('no acknowledged point loses a chunk, and garbage goes, when', () => {
  test.each(SCENARIOS)('$name', async (scenario) => {
    const { start, dispose } = await prepared(scenario);
    const first = await explore(start, MOST);
    const stops = await exploreStops(start, 0, { first: SCENARIOS.indexOf(scenario) % STEP, step: STEP });
    const random = await sample(start, 1, new Random(scenario.name.length));
    dispose();
    totals.push(
      `${scenario.name}: ${first.interleavings} in order${first.isComplete ? ' (all)' : ''}, ${stops.interleavings} with one stop, ${random.interleavings} at random`,
    );
    expect(first.interleavings).toBeGreaterThan(0);
  });
});
