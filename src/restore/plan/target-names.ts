import { nameOf, parentOf, withoutTrailingSlash } from '../../model/entry-path.ts';
import { bytesOfSegment, segmentOfBytes } from '../../os/filesystem/names/entry-path.ts';

/** A restored root or path, with its name in the target folder. */
export interface RestoreBase {
  /** Entry path. */
  readonly path: string;
  /** Names of the folders between the target folder and the base; none by default. */
  readonly folder?: readonly string[];
  /** A segment; empty for the root of a file system, whose entries go into the target folder itself. */
  readonly name: string;
}

const DRIVE = /^([A-Za-z]):$/;

/**
 * Names each base after its path. If two have the same name, the second gets its parent's name added, `docs (work)`, and
 * a number if that is taken too.
 */
export function nameBases(paths: readonly string[]): readonly RestoreBase[] {
  const taken = new Set<string>();
  return paths.map((path) => {
    const plain = withoutTrailingSlash(path);
    const name = ownNameOf(plain);
    if (name === '') return { path: plain, name };
    const parent = ownNameOf(parentOf(plain));
    const second = parent === '' ? name : `${name} (${parent})`;
    let free = taken.has(name) ? second : name;
    for (let number = 2; taken.has(free); number += 1) free = `${second} ${number}`;
    taken.add(free);
    return { path: plain, name: free };
  });
}

function ownNameOf(path: string): string {
  const name = nameOf(path);
  return DRIVE.exec(name)?.[1] ?? name;
}

/** Longest name on all common file systems. */
const NAME_BYTES = 255;

/**
 * A name for a restored entry beside an existing one: `notes (restored 2026-11-21 14.05.33).txt`, in local time, with a
 * number from the second on. The stem is cut if the name gets too long.
 *
 * @param name a segment of an entry path
 */
export function nameBeside(name: string, time: number, number: number): string {
  const bytes = bytesOfSegment(name);
  const dot = bytes.lastIndexOf('.');
  const stemEnd = dot > 0 ? dot : bytes.length;
  const mark = Buffer.from(` (restored ${localTime(time)})${number > 1 ? ` ${number}` : ''}`);
  const extension =
    bytes.subarray(stemEnd).length < NAME_BYTES - mark.length ? bytes.subarray(stemEnd) : Buffer.alloc(0);
  const stem = cutText(bytes.subarray(0, stemEnd), NAME_BYTES - mark.length - extension.length);
  return segmentOfBytes(Buffer.concat([stem, mark, extension]));
}

const MARK = / \(restored (\d{4})-(\d\d)-(\d\d) (\d\d)\.(\d\d)\.(\d\d)\)(?: (\d{1,6}))?(?=\.[^.]*$|$)/;

/** Returns when a restore gave an entry this name beside one with another name, as `nameBeside` does; `undefined` if none did. */
export function timeOfNameBeside(beside: string, name: string): number | undefined {
  const [mark, year, month, day, hour, minute, second, number = '1'] =
    MARK.exec(bytesOfSegment(beside).toString('latin1')) ?? [];
  if (mark === undefined) return undefined;
  const [y, m, d, h, min, s] = [year, month, day, hour, minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const time = new Date(y, m - 1, d, h, min, s).getTime();
  return nameBeside(name, time, Number(number)) === beside ? time : undefined;
}

/** Shortens text in UTF-8 to at most so many bytes, without cutting a character. */
function cutText(bytes: Buffer, most: number): Buffer {
  if (bytes.length <= most) return bytes;
  let end = most;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}

/** `2026-11-21 14.05.33`, in local time. */
export function localTime(time: number): string {
  const date = new Date(time);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}.${two(date.getMinutes())}.${two(date.getSeconds())}`;
}
