/** Counts equal names. */
export function countOf(names: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Returns the names that are counted more often than before. */
export function exceeding(now: ReadonlyMap<string, number>, before: ReadonlyMap<string, number>): readonly string[] {
  return [...now].filter(([name, count]) => count > (before.get(name) ?? 0)).map(([name]) => name);
}

/** Returns the counts with more of one name. */
export function withMore(
  counts: ReadonlyMap<string, number>,
  { name, count }: { readonly name: string; readonly count: number },
): ReadonlyMap<string, number> {
  return new Map([...counts, [name, (counts.get(name) ?? 0) + count]]);
}
