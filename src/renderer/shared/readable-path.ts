/** A segment of an entry path that begins with it has the bytes of a name as base64url: see `os/filesystem/entry-path.ts`. */
const ESCAPE = '\u{10FFFD}';
const REPLACEMENT = '\uFFFD';

/** Control characters, and those that change the direction of the text around them. */
// oxlint-disable-next-line no-control-regex
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * Returns an entry path, or a name of it, as it is shown: with U+FFFD for bytes that are not valid UTF-8, and for controls, which could
 * make a name look like another. Other paths may read the same.
 */
export function readablePath(path: string): string {
  const text = path.includes(ESCAPE) ? path.split('/').map(decoded).join('/') : path;
  return text.replaceAll(CONTROLS, REPLACEMENT);
}

/** Returns a readable name for the middle of a sentence, whose direction it does not change (FSI and PDI of UAX #9). */
export function isolatedName(name: string): string {
  return RIGHT_TO_LEFT.test(name) ? `\u2068${readablePath(name)}\u2069` : readablePath(name);
}

/** Letters of scripts from right to left: Hebrew, Arabic and others, and their presentation forms. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]|[\u{10800}-\u{10fff}]|[\u{1e800}-\u{1efff}]/u;

/** Returns every character of a path, with `\xE4` for bytes and `\u202E` for controls; `undefined` if it reads the same as it is shown. */
export function exactPath(path: string): string | undefined {
  if (readablePath(path) === path) return undefined;
  return path
    .split('/')
    .map((segment) => (segment.startsWith(ESCAPE) ? bytesOf(segment).map(asByte).join('') : segment))
    .join('/')
    .replaceAll(CONTROLS, (control) => `\\u${hex(control.codePointAt(0)!, 4)}`);
}

function decoded(segment: string): string {
  return segment.startsWith(ESCAPE) ? new TextDecoder().decode(Uint8Array.from(bytesOf(segment))) : segment;
}

/** Of a segment with the escape. One that is no base64url has no bytes. */
function bytesOf(segment: string): readonly number[] {
  const coded = segment.slice(ESCAPE.length).replaceAll('-', '+').replaceAll('_', '/');
  if (!/^[A-Za-z0-9+/]*$/.test(coded) || coded.length % 4 === 1) return [];
  return Array.from(atob(coded), (character) => character.codePointAt(0)!);
}

function asByte(byte: number): string {
  const isPlain = byte >= 0x20 && byte < 0x7f && byte !== 0x5c;
  return isPlain ? String.fromCodePoint(byte) : `\\x${hex(byte, 2)}`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0');
}
