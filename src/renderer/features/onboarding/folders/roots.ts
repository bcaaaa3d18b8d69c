import { isBelow } from '../../../../model/local-path.ts';

/** Returns the folder of `others` that contains a folder; `undefined` if none does. */
export function coveredBy(path: string, others: readonly string[]): string | undefined {
  return others.find((other) => isBelow(path, other));
}

/** Removes folders that another one contains, so that a set names each file once. */
export function plainRoots(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].filter((path) => coveredBy(path, paths) === undefined);
}
