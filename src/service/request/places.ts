import type { ServiceContext } from '../context.ts';

/** How often something may happen in a period. */
export interface PlaceLimit {
  readonly most: number;
  /** Milliseconds. Each period begins at a multiple of it. */
  readonly period: number;
}

/**
 * Takes the next of a limited number of places in the current period, counted from 1; `undefined` if there is none. All processes of a
 * service share them, also after a restart.
 */
export async function takePlace(
  { metadata, clock }: Pick<ServiceContext, 'metadata' | 'clock'>,
  what: string,
  { most, period }: PlaceLimit,
): Promise<number | undefined> {
  const current = Math.floor(clock.now() / period);
  for (let place = 1; place <= most; place += 1) {
    if (await metadata.tokens.spend(`place:${what}:${current}:${place}`, (current + 1) * period)) return place;
  }
  return undefined;
}
