import { inject } from 'vitest';

/** The resources that all test files of a run share: servers by their URL, built pages by their folder. */
export type SharedResource = 'postgres' | 'window-page' | 'portal-page';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the server that starts a shared resource and returns its address. */
    sharedResources: string;
  }
}

const requested = new Map<SharedResource, Promise<string>>();

/** Returns the address of a resource, which the first request of a run starts. */
export function sharedResource(name: SharedResource): Promise<string> {
  const address = requested.get(name) ?? request(name);
  requested.set(name, address);
  return address;
}

async function request(name: SharedResource): Promise<string> {
  const response = await fetch(new URL(name, inject('sharedResources')));
  const text = await response.text();
  if (!response.ok) throw new Error(`${name}: ${text}`);
  return text;
}
