import { z } from 'zod';
import { method } from '../../base/calls/contract.ts';
import { destinationChoice } from './setup.ts';
import { destinationState } from '../state.ts';

/** A former destination. Its backups still exist. */
export const formerDestination = z.object({
  kind: destinationState.shape.kind,
  location: z.string(),
  /** Milliseconds since the epoch; identifies the former destination. */
  leftAt: z.number(),
});
export type FormerDestination = Readonly<z.infer<typeof formerDestination>>;

/**
 * Changes the destination of a home that is set up. Each method fails with `home_busy` during a run. A failed call changes
 * nothing.
 */
export const destinationMethods = {
  /**
   * Points the home at its backups after they were moved; they must be found there first. Fails with `usage`
   * (`destination-kind`, `destination-same`, `destination-other`, `destination-older`), `phrase_other_account`, and as
   * `setup.try`.
   */
  'destination.move': method(z.object({ destination: destinationChoice }), z.object({})),
  /**
   * Begins new backups there, with the same phrase and sets; the existing ones stay where they are. A service requires a
   * sign-in before (`setup.sign-in` …). Fails as `setup.finish`, with `phrase_other_account` and `usage`
   * (`destination-same`).
   */
  'destination.begin': method(z.object({ destination: destinationChoice }), z.object({})),
  /** Lists the former destinations, newest first. */
  'destination.former': method(z.object({}), z.object({ destinations: z.array(formerDestination) })),
  /**
   * Continues the backups at a former destination. Fails as `destination.move`, and with `destination_unknown`.
   */
  'destination.return': method(z.object({ leftAt: z.number() }), z.object({})),
  /**
   * Returns the fingerprints of an SSH server's host keys: the one that was accepted, and the one that it presents now. Fails with
   * `usage` (`host-key-without-ssh`), `service_unreachable`.
   */
  'destination.host-key': method(
    z.object({}),
    z.object({ address: z.string(), accepted: z.string(), presented: z.string() }),
  ),
  /** Accepts another host key. Fails as `destination.host-key`, and with `usage` (`host-key-unconfirmed`) if it is not presented. */
  'destination.accept-host-key': method(z.object({ fingerprint: z.string().min(1) }), z.object({})),
} as const;
