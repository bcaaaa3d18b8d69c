import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runHistory } from '../../../unit/repository/collect/histories.ts';

test('every listed restore point reads, and what is promised is freed, after every step of random histories', async () => {
  let promises = 0;
  let kills = 0;
  // The same ones in every run; `npm run campaign -- histories` has others.
  const histories = fc.asyncProperty(fc.nat(), async (seed) => {
    const counts = await runHistory(seed, 20);
    promises += counts.promises;
    kills += counts.kills;
  });
  await fc.assert(histories, { numRuns: 3, seed: 29, endOnFailure: true });
  expect([promises > 0, kills > 0]).toEqual([true, true]);
});
