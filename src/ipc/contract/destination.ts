import { z } from 'zod';
import { method } from '../../base/calls/contract.ts';
import { destinationChoice } from './setup.ts';
import { destinationState } from '../state.ts';
import { destinationId } from '../../model/destination.ts';

/** Space that is freed later. `others`: other computers may count on it until then. `locked`: the store forbids deletion until then. */
const laterSpace = z.object({
  /** Milliseconds since the epoch. */
  at: z.number(),
  bytes: z.number(),
  because: z.enum(['others', 'locked']),
  /** Names of the computers that have to back up first. */
  waitsFor: z.array(z.string()).readonly(),
});

const freeableSpace = z.object({
  /** True if no other computer ever wrote there: a person may waive the days for which others are waited for. */
  isSole: z.boolean(),
  /** Names of the other computers that wrote there. */
  others: z.array(z.string()).readonly(),
  /** Bytes that are set aside again for the next time that there is no room. */
  reserveBytes: z.number(),
  later: z.array(laterSpace).readonly(),
  /** The store keeps what is deleted as old versions: its space is free only once these are gone. */
  keepsDeleted: z.boolean(),
  /** Why nothing is freed, or, after a loss, little. */
  stoppedBy: z.enum(['damage', 'alarm', 'loss']).optional(),
});

/** What can be freed at a destination. */
export const freePlan = freeableSpace.extend({
  /** Bytes that are freed at once. */
  nowBytes: z.number(),
  /** Those among them that interrupted backups have stored, which the next one would have gone on from. */
  interruptedBytes: z.number(),
});
export type FreePlan = z.infer<typeof freePlan>;

/** What was freed. `keptBytes`: what the store still has after it was deleted. `isFull`: with a little more room, more could be. */
export const freeReport = freeableSpace.extend({ freedBytes: z.number(), keptBytes: z.number(), isFull: z.boolean() });
export type FreeReport = z.infer<typeof freeReport>;

const destinationName = z.string().trim().min(1).max(100);

/** A former destination. Its backups still exist. */
export const formerDestination = z.object({
  kind: destinationState.shape.kind,
  location: z.string(),
  /** That which it had, and will have again unless another destination has it then. */
  name: z.string(),
  /** Milliseconds since the epoch; identifies the former destination. */
  leftAt: z.number(),
});
export type FormerDestination = Readonly<z.infer<typeof formerDestination>>;

/**
 * Changes the destinations of a home that is set up; `AppState.destinations` lists them. A failed call changes nothing.
 * A `destination` is named by its id, and fails with `destination_unknown` if there is no such one, or no longer.
 *
 * `destination.move`, `destination.begin` and `destination.return` replace one destination by another: the first unless one is named. In the
 * first two `choice` is the new one. Each fails with `home_busy` during a run.
 */
export const destinationMethods = {
  /**
   * Points the home at its backups after they were moved; they must be found there first. Fails with `usage`
   * (`destination-kind`, `destination-same`, `destination-other`, `destination-older`), `phrase_other_account`, and as
   * `setup.try`.
   */
  'destination.move': method(
    z.object({ choice: destinationChoice, destination: destinationId.optional() }),
    z.object({}),
  ),
  /**
   * Begins new backups there, with the same phrase and sets; the existing ones stay where they are. A service requires a
   * sign-in before (`setup.sign-in` …). Fails as `setup.finish`, with `phrase_other_account` and `usage`
   * (`destination-same`).
   */
  'destination.begin': method(
    z.object({ choice: destinationChoice, destination: destinationId.optional() }),
    z.object({}),
  ),
  /** Lists the former destinations, newest first. */
  'destination.former': method(z.object({}), z.object({ destinations: z.array(formerDestination) })),
  /**
   * Continues the backups at a former destination. Fails as `destination.move`, and with `destination_unknown`.
   */
  'destination.return': method(z.object({ leftAt: z.number(), destination: destinationId.optional() }), z.object({})),
  /**
   * Returns the fingerprints of an SSH server's host keys: the one that was accepted, and the one that it presents now. Fails with
   * `usage` (`host-key-without-ssh`), `service_unreachable`.
   */
  'destination.host-key': method(
    z.object({ destination: destinationId.optional() }),
    z.object({ address: z.string(), accepted: z.string(), presented: z.string() }),
  ),
  /** Accepts another host key. Fails as `destination.host-key`, and with `usage` (`host-key-unconfirmed`) if it is not presented. */
  'destination.accept-host-key': method(
    z.object({ fingerprint: z.string().min(1), destination: destinationId.optional() }),
    z.object({}),
  ),
  /** Finds out what can be freed there, and changes nothing. Fails with `usage` (`free-of-service`), `home_busy`, `destination_*`. */
  'destination.space': method(z.object({ destination: destinationId }), freePlan),
  /**
   * Frees what nobody needs there. With `waivesDays` at once, where no other computer ever wrote: a person was asked. Fails as
   * `destination.space`.
   */
  'destination.free': method(z.object({ destination: destinationId, waivesDays: z.boolean() }), freeReport),
  /**
   * Adds a destination behind the others, with the same phrase and sets; each set gets the retention policy there that it has at
   * the first one. Backups at it begin with the next run. A former destination at the same location is continued, which
   * `isContinued` reports. A service requires a sign-in before (`setup.sign-in` …). Works during a run. Fails as `setup.finish`,
   * and with `phrase_other_account`, `destination_exists` (another one has the name), `usage` (`destination-same`: backups go
   * there already; `schedule`).
   */
  'destinations.add': method(
    z.object({
      choice: destinationChoice,
      /** One that follows from the location by default. */
      name: destinationName.optional(),
      /** In the form of `sets.get`. Applies there to all sets; without it, each set has its own. */
      schedule: z.string().optional(),
    }),
    z.object({ id: destinationId, name: z.string(), isContinued: z.boolean() }),
  ),
  /**
   * Removes a destination from the home. The backups there stay, and it becomes a former destination. Fails with `home_busy`
   * during a run, and with `usage` (`destination-last`) for the only one.
   */
  'destinations.remove': method(z.object({ destination: destinationId }), z.object({})),
  /**
   * Renames a destination, or sets the schedule that applies there to all sets in place of their own, from now on; with `null` each set has its own
   * there. Fails with `destination_exists`, `usage` (`destination-name`, `schedule`).
   */
  'destinations.change': method(
    z.object({
      destination: destinationId,
      name: destinationName.optional(),
      schedule: z.string().nullable().optional(),
    }),
    z.object({}),
  ),
} as const;
