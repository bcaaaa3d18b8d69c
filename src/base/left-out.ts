/** What one rule has left out of a run. */
export interface LeftOutByRule {
  /** A pattern of the set, or the source of another rule before it. */
  readonly rule: string;
  /** Everything that is no folder. */
  readonly files: number;
  readonly bytes: number;
  /** True if not every folder was counted. */
  readonly isAtLeast?: true;
}

/** Returns what several rules have left out together. */
export function sumOf(rules: readonly LeftOutByRule[]): Omit<LeftOutByRule, 'rule'> {
  const sum = { files: 0, bytes: 0 };
  for (const { files, bytes } of rules) {
    sum.files += files;
    sum.bytes += bytes;
  }
  return { ...sum, ...(rules.some(({ isAtLeast }) => isAtLeast) && { isAtLeast: true as const }) };
}
