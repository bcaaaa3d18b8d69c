import type { Reader } from './fuzz.ts';
import { engineReaders } from './engine-readers.ts';
import { protocolReaders } from './protocol-readers.ts';
import { repositoryReaders } from './repository-readers.ts';

/** The readers of what a destination, a service, a client or another program wrote. */
export function allReaders(): readonly Reader[] {
  return [...repositoryReaders(), ...engineReaders(), ...protocolReaders()];
}
