import { useEffect, useState } from 'react';

/** The sections, in the order of the navigation. */
export const SECTIONS = ['overview', 'devices', 'backups', 'webhooks', 'team', 'security', 'audit'] as const;
export type Section = (typeof SECTIONS)[number];

/** A view of the page: a section, one thing in it, and what it is filtered by. */
export interface View {
  readonly section: Section;
  readonly id: string | undefined;
  readonly filter: string | undefined;
}

/** Returns an address such as `#/devices`. The service serves one page for all of them. */
export function sectionAddress(section: Section): string {
  return `#/${section}`;
}

/** Returns the address of a device. */
export function deviceAddress(id: string): string {
  return `${sectionAddress('devices')}/${encodeURIComponent(id)}`;
}

/** Returns the address of the devices with one status. */
export function devicesAddress(status: string): string {
  return `${sectionAddress('devices')}?status=${encodeURIComponent(status)}`;
}

function viewOf(hash: string): View {
  const [path = '', query = ''] = hash.replace(/^#\//, '').split('?');
  const [name, id] = path.split('/');
  return {
    section: SECTIONS.find((section) => section === name) ?? 'overview',
    id: id === undefined || id === '' ? undefined : decodeURIComponent(id),
    filter: new URLSearchParams(query).get('status') ?? undefined,
  };
}

/** Returns the view in the address. */
export function useView(): View {
  const [view, setView] = useState(() => viewOf(location.hash));
  useEffect(() => {
    const follow = (): void => setView(viewOf(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return view;
}

/** Returns a parameter of an address such as `#/set-up?token=…`, which never reaches the log of the service. */
export function addressValue(page: string, name: string): string | undefined {
  const [path, query] = location.hash.split('?');
  if (path !== `#/${page}`) return undefined;
  return new URLSearchParams(query).get(name) ?? undefined;
}
