import type { ReactElement } from 'react';

/** Strokes in a box of 24 by 24. */
const PATHS = {
  overview: 'M4 13h6V4H4zM14 20h6V11h-6zM4 20h6v-3H4zM14 7h6V4h-6z',
  device: 'M5 5h14v10H5zM3 19h18',
  backups: 'M12 3l8 4.5-8 4.5-8-4.5zM4 12l8 4.5 8-4.5M4 16.5L12 21l8-4.5',
  webhooks: 'M13 3L5 14h6l-1 7 8-11h-6z',
  security: 'M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6z',
  team: 'M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M2.5 20c.5-4 3-6 6.500-6s6 2 6.500 6M16 4.500a3.500 3.500 0 0 1 0 6M18 14c2 .8 3.200 2.800 3.500 6',
  audit: 'M6 3h9l4 4v14H6zM9 12h7M9 16h7M9 8h3',
  check: 'M5 12.5l4.500 4.500L19 7.500',
  restore: 'M4 5v5h5M4.600 10a8 8 0 1 1-.8 4.500M12 8v4.500l3 2',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.500v5M9 14.500v5',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  lock: 'M6 11h12v9H6zM8.500 11V8a3.500 3.500 0 0 1 7 0v3',
  attention: 'M12 4l9 16H3zM12 10v4M12 17v.010',
} as const;
export type IconName = keyof typeof PATHS;

/** Always beside words that say the same, so nothing is read out for it. */
export function Icon({ name }: { readonly name: IconName }): ReactElement {
  return (
    <svg className="ui-icon" viewBox="0 0 24 24" aria-hidden="true" fill="none" stroke="currentColor">
      <path d={PATHS[name]} strokeWidth="1.75" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
