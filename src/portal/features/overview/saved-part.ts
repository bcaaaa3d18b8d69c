import type { PortalUsageDay } from '../../../protocol/portal.ts';

/** Which part of the backed-up bytes did not have to be sent; nothing where nothing was backed up. */
export function savedPart(days: readonly Pick<PortalUsageDay, 'bytes' | 'bytes_new'>[]): number | undefined {
  let all = 0;
  let sent = 0;
  for (const { bytes, bytes_new: bytesNew } of days) {
    all += bytes;
    sent += bytesNew;
  }
  return all === 0 ? undefined : Math.max(0, 1 - sent / all);
}
