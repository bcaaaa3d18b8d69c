import { DAY } from '../model/units.ts';

/** Days with restore points that show that the time is what it says. */
export const DAYS_THAT_SHOW_TIME = 3;

interface Made {
  /** When it was made, by the clock of that moment. */
  readonly made: number;
}

/**
 * Returns the restore points whose times may be true together. Where a later run has an earlier time, the clock of one of the two was wrong,
 * and nothing tells which. So each answer is there: all of them; without those that are earlier than a run before them, whether times
 * that are still to come are believed or not; and without those that are later than a run after them. A run of a wrong clock that
 * contradicts the others is missing from one of these, which has all the others.
 *
 * Times that are still to come are not believed any more once restore points of three days follow them.
 */
export function believedOrders<Point extends Made>(
  newestFirst: readonly Point[],
  now: number,
): readonly (readonly Point[])[] {
  const days = new Set<number>();
  const possible = newestFirst.filter(({ made }) => {
    if (made <= now) days.add(Math.floor(made / DAY));
    return made <= now || days.size < DAYS_THAT_SHOW_TIME;
  });
  const past = newestFirst.filter(({ made }) => made <= now);
  const byLater = steady(newestFirst, (made, before) => made <= before);
  const byEarlier = [possible, past].map((points) =>
    steady(points.toReversed(), (made, before) => made >= before).toReversed(),
  );
  const fewer = [...byEarlier, byLater].filter((points) => points.length < newestFirst.length);
  return [newestFirst, ...fewer];
}

/** Returns the points that continue those before them. */
function steady<Point extends Made>(
  points: readonly Point[],
  continues: (made: number, before: number) => boolean,
): readonly Point[] {
  let before: number | undefined;
  return points.filter(({ made }) => {
    if (before !== undefined && !continues(made, before)) return false;
    before = made;
    return true;
  });
}
