import type { FailureFormats } from './failure-types.ts';
import { MINUTE } from '../model/units.ts';

/** A moment, or what stands in its place if it is none. */
export function momentOf(time: string, formats: FailureFormats): string {
  return Number.isNaN(Date.parse(time)) ? time : formats.dateTime(time);
}

/** A duration without its sign, to the minute. */
export function minutesOf(milliseconds: number, formats: FailureFormats): string {
  return formats.duration(Math.round(Math.abs(milliseconds) / MINUTE) * 60);
}
