import { bytesOfSegment, mayNeedEscape, segmentOfBytes } from './entry-path.ts';

const SLASH = 0x2f;
const BACKSLASH = 0x5c;
/** What Windows keeps for devices, in any case and with any extension. */
const WINDOWS_DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])( *\.|$)/i;
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const WINDOWS_ILLEGAL = /[\u0000-\u001f<>:"|?*\\]|[. ]$/;

/**
 * Whether a segment of an entry path is a name of one file here, and nothing that could lead out of the folder: an
 * escaped name may decode to anything. Entry paths come from the service.
 */
export function isSafeName(segment: string, platform: NodeJS.Platform = process.platform): boolean {
  const bytes = bytesOfSegment(segment);
  if (bytes.length === 0 || bytes.includes(0) || bytes.includes(SLASH)) return false;
  if (bytes.equals(DOT) || bytes.equals(DOT_DOT)) return false;
  // Two spellings of one name would let one entry stand for another.
  if (mayNeedEscape(segment) && segmentOfBytes(bytes) !== segment) return false;
  if (platform !== 'win32') return true;
  return !bytes.includes(BACKSLASH) && !WINDOWS_ILLEGAL.test(segment) && !WINDOWS_DEVICE.test(segment);
}

const DOT = Buffer.from('.');
const DOT_DOT = Buffer.from('..');
