import type { Tone } from '../../../ui/theme/tone.ts';

/** Which colour the status of a device has; one that this page does not know stands out in none. */
export function deviceTone(status: string): Tone {
  switch (status) {
    case 'healthy':
      return 'good';
    case 'warning':
      return 'warning';
    case 'offline':
      return 'bad';
    default:
      return 'plain';
  }
}
