import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readdirSync, readlinkSync, type BigIntStats } from 'node:fs';
import { join } from 'node:path';

/** The counterpart of compare_trees.py where there is no Python: names, kinds, times, sizes, contents, targets and hard links. */
export function differencesOnWindows(expected: string, actual: string, ignoreTimes: boolean): readonly string[] {
  const [left, right] = [factsOf(expected, ignoreTimes), factsOf(actual, ignoreTimes)];
  return [...new Set([...left.keys(), ...right.keys()])].toSorted().flatMap((path) => {
    const [wanted, found] = [left.get(path), right.get(path)];
    return wanted === found ? [] : [`${path}: ${found ?? 'missing'}, expected ${wanted ?? 'nothing'}`];
  });
}

function factsOf(root: string, ignoreTimes: boolean): ReadonlyMap<string, string> {
  const names = ['.', ...readdirSync(root, { recursive: true, encoding: 'utf8' })];
  const stats = new Map(names.map((name) => [name, lstatSync(join(root, name), { bigint: true })]));
  return new Map(
    [...stats].map(([name, stat]) => {
      const times = ignoreTimes ? {} : { time: String(stat.mtimeNs) };
      return [
        name,
        JSON.stringify({ ...contentOf(join(root, name), stat), ...times, names: sharingWith(stat, stats) }),
      ];
    }),
  );
}

function contentOf(path: string, stat: BigIntStats): Readonly<Record<string, unknown>> {
  if (stat.isSymbolicLink()) return { link: readlinkSync(path) };
  if (stat.isDirectory()) return { kind: 'folder' };
  const isReadOnly = (stat.mode & 0o200n) === 0n;
  return { size: Number(stat.size), sha256: createHash('sha256').update(readFileSync(path)).digest('hex'), isReadOnly };
}

function sharingWith(stat: BigIntStats, stats: ReadonlyMap<string, BigIntStats>): readonly string[] {
  if (!stat.isFile() || stat.nlink < 2n) return [];
  return [...stats].flatMap(([name, { dev, ino }]) => (dev === stat.dev && ino === stat.ino ? [name] : []));
}
