import { isDeviceName } from '../../../base/device-names.ts';
import { bytesOfSegment, mayNeedEscape, segmentOfBytes } from './entry-path.ts';

const SLASH = 0x2f;
const BACKSLASH = 0x5c;
// oxlint-disable-next-line no-control-regex -- control characters are intended
const WINDOWS_ILLEGAL = /[\u0000-\u001f<>:"|?*\\]|[. ]$/;

/**
 * Returns whether a segment of an entry path is a valid file name on this platform that stays within its folder. Entry
 * paths come from the service, and an escaped name may decode to anything.
 */
export function isSafeName(segment: string, platform: NodeJS.Platform = process.platform): boolean {
  const bytes = bytesOfSegment(segment);
  if (bytes.length === 0 || bytes.includes(0) || bytes.includes(SLASH)) return false;
  if (bytes.equals(DOT) || bytes.equals(DOT_DOT)) return false;
  // A name must have only one spelling, or one entry could replace another: halves of surrogate pairs all become U+FFFD.
  if (!segment.isWellFormed()) return false;
  if (mayNeedEscape(segment) && segmentOfBytes(bytes) !== segment) return false;
  if (platform !== 'win32') return true;
  return !bytes.includes(BACKSLASH) && !WINDOWS_ILLEGAL.test(segment) && !isDeviceName(segment);
}

const DOT = Buffer.from('.');
const DOT_DOT = Buffer.from('..');
