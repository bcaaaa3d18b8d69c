import type { LowPriorityReason } from '../../jobs/progress.ts';
import type { Power } from './ports.ts';

/** The person's choice; `auto` depends on power source and presence. */
export type PriorityChoice = 'auto' | 'normal' | 'low';

export interface PriorityFacts {
  readonly choice: PriorityChoice;
  /** True if a person waits at a terminal for this very run. */
  readonly attended: boolean;
  readonly power: Power;
  readonly idleSeconds: number | undefined;
}

/** A person without input for this time is not disturbed. logind calls a terminal idle after the same time. */
const ACTIVE_SECONDS = 5 * 60;

/**
 * Returns why a run should use low priority; `undefined` for normal priority. An unknown idle time counts as nobody present,
 * since most such computers are servers.
 */
export function decidePriority({ choice, attended, power, idleSeconds }: PriorityFacts): LowPriorityReason | undefined {
  if (choice !== 'auto') return choice === 'low' ? 'asked' : undefined;
  if (power.onBattery === true) return 'on-battery';
  if (attended || idleSeconds === undefined) return undefined;
  return idleSeconds < ACTIVE_SECONDS ? 'person-active' : undefined;
}
