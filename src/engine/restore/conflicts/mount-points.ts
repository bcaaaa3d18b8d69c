import { readFileSync } from 'node:fs';
import { systemCodeOf } from '../../../base/errors/errors.ts';
import { segmentOfBytes } from '../../filesystem/names/entry-path.ts';

/** Returns the entry paths on which something is mounted (proc(5), mountinfo); none where the system has no such list. */
export function mountPoints(): ReadonlySet<string> {
  try {
    return mountPointsIn(readFileSync('/proc/self/mountinfo', 'latin1'));
  } catch (error) {
    if (systemCodeOf(error) === undefined) throw error;
    return new Set();
  }
}

/** @param list of mountinfo, a character for each byte */
export function mountPointsIn(list: string): ReadonlySet<string> {
  const points = list.split('\n').flatMap((line) => line.split(' ')[4] ?? []);
  return new Set(points.map((point) => segmentOfBytes(Buffer.from(unescape(point), 'latin1'))));
}

/** Space, tab, line feed and backslash are octal there. */
function unescape(point: string): string {
  return point.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8)));
}
