import type { Formats } from './formats.ts';

/** A moment in the middle of a sentence: today's needs no day, `14:30`, all others `tomorrow 14:30`. Milliseconds. */
export function momentWords(at: number, now: number, formats: Formats): string {
  return new Date(at).toDateString() === new Date(now).toDateString() ? formats.clock(at) : formats.when(at, now);
}
