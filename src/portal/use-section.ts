import { useEffect, useState } from 'react';

/** The sections, in the order of the navigation. */
export const SECTIONS = ['overview', 'devices', 'backups', 'webhooks', 'team', 'security', 'audit'] as const;
export type Section = (typeof SECTIONS)[number];

/** Returns an address such as `#/devices`. The service serves one page for all of them. */
export function sectionAddress(section: Section): string {
  return `#/${section}`;
}

function sectionOf(hash: string): Section {
  const name = hash.replace(/^#\//, '');
  return SECTIONS.find((section) => section === name) ?? 'overview';
}

/** Returns the section in the address. */
export function useSection(): Section {
  const [section, setSection] = useState(() => sectionOf(location.hash));
  useEffect(() => {
    const follow = (): void => setSection(sectionOf(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return section;
}

/** Returns a parameter of an address such as `#/set-up?token=…`, which never reaches the log of the service. */
export function addressValue(page: string, name: string): string | undefined {
  const [path, query] = location.hash.split('?');
  if (path !== `#/${page}`) return undefined;
  return new URLSearchParams(query).get(name) ?? undefined;
}
