import { setTimeout as sleep } from 'node:timers/promises';
import { HoldfastError } from '../base/errors/errors.ts';
import type { Storage } from './storage.ts';

/** Pauses before a store is asked again: some show a new file late. */
const PAUSES_MS = [1_000, 4_000];

/** Returns whether a store has a file that it has answered to have stored. Costs a request where something else may answer for the store. */
export async function isStored(storage: Storage, name: string, bytes: number, signal?: AbortSignal): Promise<boolean> {
  if (!storage.size) return true;
  for (const pause of [...PAUSES_MS, undefined]) {
    if ((await storage.size(name, signal)) === bytes) return true;
    if (pause !== undefined) await sleep(pause, undefined, signal && { signal });
  }
  return false;
}

/** The failure of a store that has answered to have stored what it does not have. */
export function notStored({ address }: Storage): HoldfastError {
  return new HoldfastError('service_broken', { address, problem: 'not-stored' });
}
