import type { Tone } from '../../../ui/theme/tone.ts';

/** Returns the tone of a device status; `plain` for an unknown one. */
export function deviceTone(status: string): Tone {
  switch (status) {
    case 'healthy':
      return 'good';
    case 'new':
    case 'warning':
      return 'warning';
    case 'alarm':
    case 'offline':
      return 'bad';
    default:
      return 'plain';
  }
}
