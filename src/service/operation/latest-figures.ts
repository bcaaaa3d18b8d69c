import type { Logger } from 'pino';
import type { ServiceClock } from '../service-clock.ts';
import type { FiguresStore, ServiceFigures } from '../store/usage/figures.ts';
import { failureFacts } from './failure-facts.ts';

/** Cache time in milliseconds: counting reads whole tables, and several monitors may query. */
const KEPT = 10_000;

/** Returns `undefined` if the store is unavailable. */
export function latestFigures(
  store: FiguresStore,
  clock: ServiceClock,
  log: Logger,
): () => Promise<ServiceFigures | undefined> {
  let latest: { readonly at: number; readonly figures: Promise<ServiceFigures | undefined> } | undefined;
  return () => {
    const now = clock.now();
    if (latest && now >= latest.at && now - latest.at < KEPT) return latest.figures;
    const figures = store.figures().catch((error: unknown) => {
      log.error({ failure: failureFacts(error) }, 'the figures for /metrics cannot be read');
      return undefined;
    });
    latest = { at: now, figures };
    return figures;
  };
}
