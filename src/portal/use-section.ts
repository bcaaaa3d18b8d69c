import { useEffect, useState } from 'react';

/** The parts of the page, in the order of the navigation. */
export const SECTIONS = ['overview', 'devices', 'backups', 'webhooks', 'team', 'security', 'audit'] as const;
export type Section = (typeof SECTIONS)[number];

/** `#/devices` and the like: the service answers one page only, whatever stands behind the `#`. */
export function sectionAddress(section: Section): string {
  return `#/${section}`;
}

function sectionOf(hash: string): Section {
  const name = hash.replace(/^#\//, '');
  return SECTIONS.find((section) => section === name) ?? 'overview';
}

/** The section that the address names, as it changes. */
export function useSection(): Section {
  const [section, setSection] = useState(() => sectionOf(location.hash));
  useEffect(() => {
    const follow = (): void => setSection(sectionOf(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return section;
}

/** A value that came with the address, as `#/set-up?token=…` has it; it never reaches the service's log. */
export function addressValue(page: string, name: string): string | undefined {
  const [path, query] = location.hash.split('?');
  if (path !== `#/${page}`) return undefined;
  return new URLSearchParams(query).get(name) ?? undefined;
}
