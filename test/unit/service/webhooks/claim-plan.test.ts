import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planClaims, type EndpointLoad } from '../../../../src/service/webhooks/claim-plan.ts';

const endpoints = (count: number, prefix = 'e'): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);
const load = (inFlight: Record<string, number> = {}, failing: readonly string[] = []): EndpointLoad => ({
  inFlight: new Map(Object.entries(inFlight)),
  failing: new Set(failing),
});
const planned = (due: readonly string[], state: EndpointLoad): Record<string, number> =>
  Object.fromEntries(planClaims(due, state).map(({ endpointId, limit }) => [endpointId, limit]));

describe('planClaims', () => {
  test.each([
    ['nothing due', [], load(), {}],
    ['one endpoint', ['a'], load(), { a: 4 }],
    ['one endpoint with tries under way', ['a'], load({ a: 3 }), { a: 1 }],
    ['one endpoint that is full', ['a'], load({ a: 4 }), {}],
    ['one that fails gets one try', ['a', 'b'], load({}, ['a']), { a: 1, b: 4 }],
    ['one that fails and is being tried', ['a', 'b'], load({ a: 1 }, ['a']), { b: 4 }],
    ['two places left: one each', ['a', 'b', 'c'], load({ x: 30 }), { a: 1, b: 1 }],
    ['no place left', ['a'], load({ x: 32 }), {}],
  ])('%s', (_name, due, state, expected) => expect(planned(due, state)).toEqual(expected));

  test('keeps slots free for working endpoints', () => {
    const failing = endpoints(100, 'dead');
    const plan = planned([...failing, 'alive'], load({}, failing));
    expect(plan['alive']).toBe(4);
    expect(Object.keys(plan).length).toBe(17);
  });

  test('uses all slots within the limits', () => {
    const names = endpoints(40);
    const state = fc.record({
      due: fc.shuffledSubarray(names),
      failing: fc.subarray(names),
      inFlight: fc.dictionary(fc.constantFrom(...names), fc.integer({ min: 1, max: 4 }), { maxKeys: 10 }),
    });
    fc.assert(
      fc.property(state, ({ due, failing, inFlight }) => {
        const plan = planned(due, load(inFlight, failing));
        const total = (object: Record<string, number>, of: readonly string[]): number =>
          of.reduce((sum, name) => sum + (object[name] ?? 0), 0);
        const before = total(inFlight, names);
        expect(before + total(plan, names)).toBeLessThanOrEqual(Math.max(before, 32));
        const failingBefore = total(inFlight, failing);
        expect(failingBefore + total(plan, failing)).toBeLessThanOrEqual(Math.max(failingBefore, 16));
        for (const [name, count] of Object.entries(plan)) {
          expect(due).toContain(name);
          expect(count + (inFlight[name] ?? 0)).toBeLessThanOrEqual(failing.includes(name) ? 1 : 4);
        }
        if (before + total(plan, names) < 32) {
          for (const name of due.filter((candidate) => !failing.includes(candidate))) {
            expect((plan[name] ?? 0) + (inFlight[name] ?? 0)).toBe(4);
          }
        }
      }),
    );
  });
});
