import type { Moment } from '../../strings/time-formats.ts';

/**
 * Writes the times of a list. Neighbours that would read the same get their seconds.
 *
 * @param times in the order of the list
 * @param short for example `formats.clock`
 * @param long the same with seconds
 */
export function distinctTimes(
  times: readonly Moment[],
  short: (time: Moment) => string,
  long: (time: Moment) => string,
): readonly string[] {
  const written = times.map((time) => short(time));
  return times.map((time, index) => {
    const text = written[index]!;
    const isAlike = text === written[index - 1] || text === written[index + 1];
    return isAlike ? long(time) : text;
  });
}
