import type { AppState, Health } from '../../ipc/state.ts';
import { isOnOneDisk } from '../../strings/destinations/one-disk.ts';
import type { IconName } from '../../ui/icon.tsx';

export interface HealthStyle {
  readonly tone: 'plain' | 'good' | 'busy' | 'warning' | 'bad';
  readonly icon: IconName;
}

/** Colour and icon of each state, beside a text. */
export const HEALTH_STYLES: Readonly<Record<Health, HealthStyle>> = {
  'not-set-up': { tone: 'plain', icon: 'disk' },
  'at-risk': { tone: 'bad', icon: 'attention' },
  attention: { tone: 'warning', icon: 'warning' },
  running: { tone: 'busy', icon: 'running' },
  waiting: { tone: 'plain', icon: 'clock' },
  paused: { tone: 'plain', icon: 'pause' },
  protected: { tone: 'good', icon: 'protected' },
};

/** Colour and icon of a state. Green would promise more than backups on the disk of the files can keep. */
export function healthStyle(state: AppState): HealthStyle {
  const style = HEALTH_STYLES[state.health];
  return state.health === 'protected' && isOnOneDisk(state) ? { ...style, tone: 'plain' } : style;
}
