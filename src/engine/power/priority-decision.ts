import type { LowPriorityReason } from '../job/progress.ts';
import type { Power } from './ports.ts';

/** What the person asked for; `auto` is decided by what the computer and its person are doing. */
export type PriorityChoice = 'auto' | 'normal' | 'low';

export interface PriorityFacts {
  readonly choice: PriorityChoice;
  /** Whether a person waits at a terminal for this very run. */
  readonly attended: boolean;
  readonly power: Power;
  readonly idleSeconds: number | undefined;
}

/** After so long without a key or a movement nobody is disturbed. logind calls a terminal idle after the same time. */
const ACTIVE_SECONDS = 5 * 60;

/** Where the system does not say what somebody is doing, nobody is there: most such computers are servers. */
export function decidePriority({ choice, attended, power, idleSeconds }: PriorityFacts): LowPriorityReason | undefined {
  if (choice !== 'auto') return choice === 'low' ? 'asked' : undefined;
  if (power.onBattery === true) return 'on-battery';
  if (attended || idleSeconds === undefined) return undefined;
  return idleSeconds < ACTIVE_SECONDS ? 'person-active' : undefined;
}
