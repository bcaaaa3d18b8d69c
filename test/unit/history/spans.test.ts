import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { spanBetween, unitedSpans, type Span } from '../../../src/history/spans.ts';

const times = fc
  .uniqueArray(fc.integer({ min: 1, max: 30 }), { maxLength: 10 })
  .map((all) => all.toSorted((a, b) => a - b));
const limit = fc.integer({ min: 0, max: 31 });

describe('a span', () => {
  test('is from the first to the last restore point between two limits', () => {
    fc.assert(
      fc.property(times, limit, limit, (all, low, high) => {
        const inside = all.filter((time) => time > low && time < high);
        const expected = inside.length === 0 ? undefined : { from: inside[0], to: inside.at(-1) };
        expect(spanBetween(all, low, high)).toEqual(expected);
      }),
    );
  });

  test('is united with another if no restore point of any destination lies between', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(times, fc.array(fc.boolean(), { minLength: 10, maxLength: 10 })), { maxLength: 3 }),
        (destinations) => {
          // Each destination has something at some of its restore points.
          const spans = destinations.flatMap(([all, has]): Span[] => {
            const found: Span[] = [];
            all.forEach((time, index) => {
              if (!has[index]) return;
              if (index > 0 && has[index - 1]) found[found.length - 1] = { from: found.at(-1)!.from, to: time };
              else found.push({ from: time, to: time });
            });
            return found;
          });
          const series = destinations.map(([all]) => all);
          const united = unitedSpans(spans, series);
          for (const { from, to } of spans) {
            expect(united.filter((each) => each.from <= from && to <= each.to).length).toBe(1);
          }
          united.forEach((span, index) => {
            const next = united[index + 1];
            if (!next) return;
            // Something was absent between two spans.
            expect(span.to).toBeLessThan(next.from);
            expect(series.some((all) => all.some((time) => time > span.to && time < next.from))).toBe(true);
          });
        },
      ),
    );
  });

  test('of two destinations whose runs follow each other is one', () => {
    const spans = [
      { from: 10, to: 10 },
      { from: 11, to: 11 },
    ];
    expect(
      unitedSpans(spans, [
        [10, 20],
        [11, 21],
      ]),
    ).toEqual([{ from: 10, to: 11 }]);
    expect(
      unitedSpans(
        [
          { from: 10, to: 10 },
          { from: 30, to: 30 },
        ],
        [[10, 20, 30]],
      ),
    ).toEqual([
      { from: 10, to: 10 },
      { from: 30, to: 30 },
    ]);
  });
});
