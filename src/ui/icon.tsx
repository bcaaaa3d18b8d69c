import type { ReactElement } from 'react';

/** Paths in a box of 24 by 24. */
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
  protected: 'M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM8.500 11.800l2.600 2.600 4.400-4.900',
  running: 'M20 5v5h-5M4 19v-5h5M19.400 10a8 8 0 0 0-14-2.500M4.600 14a8 8 0 0 0 14 2.500',
  down: 'M6 9.500l6 6 6-6',
  right: 'M9.500 6l6 6-6 6',
  left: 'M14.500 6l-6 6 6 6',
  up: 'M6 14.500l6-6 6 6',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  search: 'M10.500 17a6.500 6.500 0 1 0 0-13 6.500 6.500 0 0 0 0 13M15.500 15.500L20.500 20.500',
  grid: 'M4 4h6.500v6.500H4zM13.500 4H20v6.500h-6.500zM4 13.500h6.500V20H4zM13.500 13.500H20V20h-6.500z',
  more: 'M5 12.010a.8.8 0 1 0 0-.020zM12 12.010a.8.8 0 1 0 0-.020zM19 12.010a.8.8 0 1 0 0-.020z',
  home: 'M4 11l8-7 8 7v9h-5.500v-6h-5v6H4z',
  folder: 'M3 7V5.500h6.500l2 2.500H21v11H3z',
  package: 'M12 3l8 4.500v9L12 21l-8-4.500v-9zM4 7.500l8 4.500 8-4.500M12 12v9',
  file: 'M6 3h8l4 4v14H6zM14 3v4h4',
  disk: 'M4 6h16v12H4zM4 13.500h16M16.500 16h.010',
  usb: 'M5 8h14v12H5zM9 8V4h6v4M9 12h6',
  network: 'M4 4h7v6H4zM13 14h7v6h-7zM7.500 10v7H13',
  cloud: 'M7.500 18.500a4.500 4.500 0 0 1-.4-9A5.500 5.500 0 0 1 17.600 10.500 4 4 0 0 1 17.500 18.500z',
  bucket: 'M4.500 6.500h15L17.500 20h-11zM4.500 6.500C6 3.500 18 3.500 19.500 6.500M9 11h6',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M12 7v5.500l3.500 2',
  pause: 'M8.500 5v14M15.500 5v14',
  play: 'M7 4.500l12 7.500-12 7.500z',
  stop: 'M6 6h12v12H6z',
  warning: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M12 7.500v5.500M12 16.400v.010',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  print: 'M7 9V3h10v6M7 17H4V9h16v8h-3M7 14h10v7H7z',
  picture: 'M4 5h16v14H4zM4 16l5-5 4 4 2.500-2.500L20 17M15.500 9h.010',
  music:
    'M9 18V5l10-2v13M9 18a2.500 2.500 0 1 1-5 0 2.500 2.500 0 0 1 5 0M19 16a2.500 2.500 0 1 1-5 0 2.500 2.500 0 0 1 5 0',
  video: 'M3 6h12v12H3zM15 10.500l6-3.500v10l-6-3.500',
  download: 'M12 4v11M7 10.500l5 5 5-5M4 20h16',
  code: 'M8.500 7l-5 5 5 5M15.500 7l5 5-5 5',
  pin: 'M12 21v-6M8 4h8l-1 6 3 5H6l3-5z',
  calendar: 'M4 6h16v15H4zM4 10.500h16M8.500 3v4M15.500 3v4',
  remove: 'M5 7h14M9.500 7V4h5v3M7 7l1 14h8l1-14',
  edit: 'M4 20l1-4.500L16 4.500l3.500 3.500L8.500 19z',
  info: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M12 11v6M12 7.600v.010',
  open: 'M10 5H5v14h14v-5M13 5h6v6M19 5l-9 9',
  attention: 'M12 4l9 16H3zM12 10v4M12 17v.010',
} as const;
export type IconName = keyof typeof PATHS;

/** Icons that point in the direction of reading. */
const DIRECTED: ReadonlySet<IconName> = new Set(['left', 'right', 'open']);

/** An icon. It always stands beside a text of the same meaning, so it is hidden from screen readers. */
export function Icon({ name }: { readonly name: IconName }): ReactElement {
  return (
    <svg
      className="ui-icon"
      data-directed={DIRECTED.has(name) || undefined}
      viewBox="0 0 24 24"
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
    >
      <path d={PATHS[name]} strokeWidth="1.75" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
