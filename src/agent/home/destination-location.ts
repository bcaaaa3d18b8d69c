import type { Destination } from './settings.ts';

/** The folder or the address of a destination, as shown to people. */
export function locationOf(destination: Destination): string {
  switch (destination.kind) {
    case 'embedded':
      return destination.directory;
    case 'bucket':
      return destination.address;
    case 'service':
      return destination.url;
  }
}
