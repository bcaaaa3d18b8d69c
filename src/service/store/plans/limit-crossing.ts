/** Of the plan's limit; the interface names it. */
export const LIMIT_THRESHOLD_PERCENT = 80;

/**
 * What the use of storage asks for: telling that it has come over the threshold, or, where it was told and the use is
 * below again, being ready to tell the next time.
 *
 * @param limit in bytes; nothing where there is none
 */
export function limitCrossing(used: number, limit: number | undefined, told: boolean): 'tell' | 'rearm' | undefined {
  const over = limit !== undefined && 100 * used >= LIMIT_THRESHOLD_PERCENT * limit;
  if (over === told) return undefined;
  return over ? 'tell' : 'rearm';
}
