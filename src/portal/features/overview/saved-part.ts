import type { PortalUsageDay } from '../../../protocol/portal/portal.ts';

/** Returns the fraction of the backed-up bytes that was not sent; `undefined` if there is none. */
export function savedPart(days: readonly Pick<PortalUsageDay, 'bytes' | 'bytes_new'>[]): number | undefined {
  let all = 0;
  let sent = 0;
  for (const { bytes, bytes_new: bytesNew } of days) {
    all += bytes;
    sent += bytesNew;
  }
  return sent >= all ? undefined : 1 - sent / all;
}
