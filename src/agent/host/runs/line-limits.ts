import { KIB } from '../../../model/units.ts';
import type { TransferLimits } from '../../../remote/http/rate-limited-http.ts';
import type { Preferences } from '../../../ipc/contract/preferences.ts';
import type { Limits } from '../../../model/set.ts';

/**
 * Returns the transfer limits of a run, in bytes per second at the time of the call: those of its set during the set's
 * hours, otherwise those for all sets.
 *
 * @param now milliseconds since the epoch
 */
export function lineLimits(
  limits: Limits | undefined,
  everywhere: Pick<Preferences, 'uploadKiB' | 'downloadKiB'>,
  now: () => number,
): TransferLimits {
  const ofSet = (): Limits => (limits && isDuring(limits.hours, new Date(now())) ? limits : {});
  const upload = limits?.uploadKiB ?? everywhere.uploadKiB;
  const download = limits?.downloadKiB ?? everywhere.downloadKiB;
  return {
    ...(upload === undefined ? {} : { limitUpload: () => bytes(ofSet().uploadKiB ?? everywhere.uploadKiB) }),
    ...(download === undefined ? {} : { limitDownload: () => bytes(ofSet().downloadKiB ?? everywhere.downloadKiB) }),
  };
}

/** Hours that end before they begin span midnight; equal ones are the whole day. */
function isDuring(hours: Limits['hours'], at: Date): boolean {
  if (!hours || hours.from === hours.to) return true;
  const minute = at.getHours() * 60 + at.getMinutes();
  const { from, to } = hours;
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

function bytes(kib: number | undefined): number | undefined {
  return kib === undefined ? undefined : kib * KIB;
}
