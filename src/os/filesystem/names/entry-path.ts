import { bufferOf } from '../../../base/buffer-of.ts';
/**
 * Conversion between the operating system's paths and entry paths. Entry paths separate segments with `/` on every platform.
 * A name that is not valid UTF-8, or that starts with the escape itself, is written as U+10FFFD and base64url of its bytes.
 */
const ESCAPE = '\u{10FFFD}';
const REPLACEMENT = '\uFFFD';

/** Converts the bytes of a name from `readdir` to a segment of an entry path. */
export function segmentOfBytes(name: Uint8Array): string {
  const text = bufferOf(name).toString('utf8');
  const valid = !text.includes(REPLACEMENT) || Buffer.from(text, 'utf8').equals(name);
  return valid && !text.startsWith(ESCAPE) ? text : ESCAPE + Buffer.from(name).toString('base64url');
}

/** Converts the bytes of a path of Linux or macOS to an entry path. */
export function entryPathOfBytes(path: Uint8Array): string {
  const segments = bufferOf(path).toString('latin1').split('/');
  return segments.map((segment) => segmentOfBytes(Buffer.from(segment, 'latin1'))).join('/');
}

/** Returns the entry path of a segment in a folder. That of a whole disk ends in a slash. */
export function entryPathIn(folder: string, segment: string): string {
  return folder.endsWith('/') ? folder + segment : `${folder}/${segment}`;
}

/** Returns whether a name that was decoded as UTF-8 has to be read again as bytes. */
export function mayNeedEscape(name: string): boolean {
  return name.includes(REPLACEMENT) || name.startsWith(ESCAPE);
}

/** Converts an entry path to an argument for `node:fs`. */
export function fileSystemPath(entryPath: string): string | Buffer {
  const path = process.platform === 'win32' ? windowsPathOf(entryPath) : entryPath;
  if (!path.includes(ESCAPE)) return path;
  const segments = path.split('/').map(bytesOfSegment);
  return Buffer.concat(segments.flatMap((segment, index) => (index === 0 ? [segment] : [SLASH, segment])));
}

/** Returns whether a segment of a path is written as entry paths write a name that is no UTF-8. */
export function hasEscape(path: string): boolean {
  return path.split('/').some((segment) => isEscape(segment));
}

/** Converts a segment to the bytes of its name on disk. */
export function bytesOfSegment(segment: string): Buffer {
  return segment.startsWith(ESCAPE)
    ? Buffer.from(segment.slice(ESCAPE.length), 'base64url')
    : Buffer.from(segment, 'utf8');
}

/** Returns an entry path, or a segment of one, as people read it: with U+FFFD for bytes that are not valid UTF-8. Other paths may read the same. */
export function readablePath(entryPath: string): string {
  if (!entryPath.includes(ESCAPE)) return entryPath;
  return entryPath
    .split('/')
    .map((segment) => bytesOfSegment(segment).toString('utf8'))
    .join('/');
}

/** Converts an absolute path of this operating system to an entry path. */
export function entryPathOf(absolutePath: string): string {
  const slashed = process.platform === 'win32' ? entryPathOfWindows(absolutePath) : absolutePath;
  return slashed
    .split('/')
    .map((segment) => (segment.startsWith(ESCAPE) ? segmentOfBytes(Buffer.from(segment)) : segment))
    .join('/');
}

/**
 * Converts an absolute path that a person names. As `entryPathOf`, but a segment that is written as entry paths are is that of one: lists, warnings and
 * the window show such names so, and nobody can name bytes otherwise.
 */
export function entryPathGiven(absolutePath: string): string {
  const written = absolutePath.split('/');
  return entryPathOf(absolutePath)
    .split('/')
    .map((segment, index) => (isEscape(written[index] ?? '') ? written[index]! : segment))
    .join('/');
}

function isEscape(segment: string): boolean {
  return segment.startsWith(ESCAPE) && segmentOfBytes(bytesOfSegment(segment)) === segment;
}

/**
 * Converts a path of Windows to one with slashes. A share, `\\\\server\\share\\a`, is `/server/share/a`: no segment of an entry path is empty, and nothing
 * else begins with a slash there.
 */
export function entryPathOfWindows(path: string): string {
  const slashed = path.replaceAll('\\', '/');
  return slashed.startsWith('//') ? slashed.slice(1).replace(/\/$/, '') : slashed;
}

/** Reverses `entryPathOfWindows`, but for slashes: Windows accepts both. */
export function windowsPathOf(entryPath: string): string {
  return entryPath.startsWith('/') ? `/${entryPath}` : entryPath;
}

const SLASH = Buffer.from('/');
