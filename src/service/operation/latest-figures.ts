import type { Logger } from 'pino';
import type { ServiceClock } from '../service-clock.ts';
import type { DeviceFigures, FiguresStore, ServiceFigures } from '../usage/figures-store.ts';
import { failureFacts } from '../failure-facts.ts';

/** Cache time in milliseconds: counting reads whole tables, and several monitors may query. */
const KEPT = 10_000;

/** Most devices, and most backup sets, with metrics of their own. */
export const MEASURED_DEVICES = 2_000;

/** Totals, and the devices that are measured one by one. */
export interface LatestFigures extends ServiceFigures {
  readonly measured: readonly DeviceFigures[];
}

/** Returns `undefined` if the store is unavailable. */
export function latestFigures(
  store: FiguresStore,
  clock: ServiceClock,
  log: Logger,
): () => Promise<LatestFigures | undefined> {
  let latest: { readonly at: number; readonly figures: Promise<LatestFigures | undefined> } | undefined;
  return () => {
    const now = clock.now();
    if (latest && now >= latest.at && now - latest.at < KEPT) return latest.figures;
    const figures = read(store).catch((error: unknown) => {
      log.error({ failure: failureFacts(error) }, 'the figures for /metrics cannot be read');
      return undefined;
    });
    latest = { at: now, figures };
    return figures;
  };
}

async function read(store: FiguresStore): Promise<LatestFigures> {
  const totals = await store.figures();
  return { ...totals, measured: await store.devices(MEASURED_DEVICES) };
}
