import { z } from 'zod';
import { method } from '../../base/calls/contract.ts';
import { destinationChoice } from './setup.ts';
import { destinationState } from '../state.ts';

/** A former destination. Its backups still exist. */
export const formerPlace = z.object({
  kind: destinationState.shape.kind,
  place: z.string(),
  /** Milliseconds since the epoch; identifies the former destination. */
  leftAt: z.number(),
});
export type FormerPlace = Readonly<z.infer<typeof formerPlace>>;

/**
 * Where the backups of a home that is set up go from now on. While a run goes on, each fails with `home_busy`; what fails
 * changes nothing.
 */
export const destinationMethods = {
  /**
   * The backups of now stand at another place. They are looked for there first. Fails with `usage` (`destination-kind`,
   * `destination-same`, `destination-other`, `destination-older`), `phrase_other_account`, and as `setup.try`.
   */
  'destination.move': method(z.object({ destination: destinationChoice }), z.object({})),
  /**
   * New backups begin there, with the same phrase and sets; those of now stay where they are. For a service, somebody has
   * signed in before (`setup.sign-in` …). Fails as `setup.finish`, with `phrase_other_account` and `usage`
   * (`destination-same`).
   */
  'destination.begin': method(z.object({ destination: destinationChoice }), z.object({})),
  /** The newest first. */
  'destination.former': method(z.object({}), z.object({ places: z.array(formerPlace) })),
  /** Goes on with the backups of a place of before. Fails as `destination.move`, and with `usage` (`destination-unknown`). */
  'destination.return': method(z.object({ leftAt: z.number() }), z.object({})),
} as const;
