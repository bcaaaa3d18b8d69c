import { describe, expect, test } from 'vitest';
import { HoldfastError } from '../../../../../src/base/errors/errors.ts';
import { RestorableSets } from '../../../../../src/agent/host/state/restorable-sets.ts';

describe('the sets that can be restored', () => {
  test('are counted in the background, and again after some time', async () => {
    let now = 0;
    let answer: () => Promise<number> = () => Promise.resolve(2);
    let notified = 0;
    let asked = 0;
    const sets = new RestorableSets({
      ask: () => {
        asked += 1;
        return answer();
      },
      clock: { now: () => now },
      changes: { notify: () => void (notified += 1) },
    });
    expect(sets.count()).toBeUndefined();
    await expect.poll(() => notified).toBe(1);
    expect([sets.count(), asked]).toEqual([2, 1]);
    now += 11 * 60_000;
    answer = () => Promise.reject(new HoldfastError('destination_missing', { directory: '/media' }));
    expect(sets.count()).toBe(2);
    // A destination that is not there takes nothing back.
    await expect.poll(() => asked).toBe(2);
    expect([sets.count(), notified]).toEqual([2, 1]);
  });
});
