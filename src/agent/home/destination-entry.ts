import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { destinationForm, destinationId } from '../../model/destination.ts';

/** Where backups go, and as which device. */
export const destinationEntry = z.object({
  /** Identifies it in the catalog, the journal and the schedule's memory. Never used again. */
  id: destinationId,
  /** Shown to people, who may choose it. No other destination has it, whatever its case. */
  name: z.string().min(1),
  destination: destinationForm,
  deviceId: z.string().min(1),
  deviceName: z.string(),
  /** The name of its secrets (KeyStore.saveDestination). `undefined` for those of the setup. */
  credentials: z.string().optional(),
  /** Replaces the schedules of the sets (model/schedule/grammar.ts). By default each set has its own. */
  schedule: z.string().optional(),
  /** The share of parity there, in percent (docs/repository.md#parity). `undefined` at a service. */
  parity: z.int().min(0).max(100).optional(),
});
export type DestinationEntry = Readonly<z.infer<typeof destinationEntry>>;

/** A destination of earlier backups, which are still there. */
export const formerDestination = destinationEntry.extend({
  /** Milliseconds since the epoch. */
  leftAt: z.number(),
});
export type FormerDestination = Readonly<z.infer<typeof formerDestination>>;

/** Returns an id for another destination. */
export function newDestinationId(): string {
  return randomBytes(4).toString('hex');
}
