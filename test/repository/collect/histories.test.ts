import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runHistory } from './histories.ts';

test('every listed restore point reads, and what is promised is freed, after every step of random histories', async () => {
  let promises = 0;
  let kills = 0;
  // A failure names the seed of its history; `npm run campaign -- histories` has more of them.
  const histories = fc.asyncProperty(fc.nat(), async (seed) => {
    const counts = await runHistory(seed, 20);
    promises += counts.promises;
    kills += counts.kills;
  });
  await fc.assert(histories, { numRuns: 5, endOnFailure: true });
  expect([promises > 0, kills > 0]).toEqual([true, true]);
});
