import { z } from 'zod';
import { method } from '../../base/calls/contract.ts';
import { certificate } from './restore/certificate.ts';
import { runReport } from './restore/restore.ts';
import { restoreRequest } from '../../model/restore-request.ts';
import { lastRun, outcome, runKind, runSet, trigger } from '../../model/run.ts';
import { destinationId } from '../../model/destination.ts';
import { setName } from '../../model/set.ts';

export const listedRun = lastRun.extend({
  set: runSet,
  trigger: trigger.optional(),
  /** The id of the destination, which may not be configured any more. */
  destination: z.string(),
  /** Of a restore: what was chosen, and where it went. */
  restored: z
    .object({
      /** The first of `paths` entry paths; missing if everything was restored. */
      path: z.string().optional(),
      paths: z.int(),
      /** `null` for the original places. */
      to: z.string().nullable(),
    })
    .optional(),
});
export type ListedRun = Readonly<z.infer<typeof listedRun>>;

export const runStep = z.object({ state: z.string(), at: z.number(), reason: z.string().optional() });
export type RunStep = Readonly<z.infer<typeof runStep>>;

export const activityMethods = {
  /**
   * Begins a backup on a person's request, without waiting for conditions: to all destinations, or to one. Fails with `home_busy`,
   * `set_unknown`, `destination_unknown`.
   */
  'runs.backup': method(z.object({ set: setName, destination: destinationId.optional() }), z.object({ run: z.int() })),
  /**
   * Backs up a set to all destinations, and accepts that what was in some folders is gone for good. Each has to be one that the newest backup
   * refused to take as it was. Fails as `runs.backup`, and with `usage` (`folder-not-missed`).
   */
  'runs.accept': method(
    z.object({ set: setName, folders: z.array(z.string().min(1).max(32_768)).min(1).max(2_000) }),
    z.object({ run: z.int() }),
  ),
  /** Backs up all sets, one after the other. Fails as `runs.backup` if the first cannot begin. */
  'runs.backup-all': method(z.object({}), z.object({ run: z.int() })),
  'runs.verify': method(z.object({ set: setName, samplePercent: z.int().min(1).max(100) }), z.object({ run: z.int() })),
  /** Restores a sample of the newest restore point and compares it. Fails as `runs.verify`. */
  'runs.drill': method(z.object({ set: setName }), z.object({ run: z.int() })),
  /** The facts about the newest test restore of each set. */
  'drill.certificate': method(z.object({}), certificate),
  /**
   * Checks a whole destination, by default the first; `readPercent` of its data are read and decrypted, none by default. Fails with
   * `usage` (`check-of-service`), `home_busy`, `destination_unknown`.
   */
  'runs.check': method(
    z.object({ destination: destinationId.optional(), readPercent: z.int().min(1).max(100).optional() }),
    z.object({ run: z.int() }),
  ),
  /** Repairs a destination as far as possible, and names what is lost. Fails as `runs.check`. */
  'runs.repair': method(z.object({ destination: destinationId.optional() }), z.object({ run: z.int() })),
  /** Ends a run after the chunks in flight; the next backup continues from there. */
  'runs.stop': method(z.object({ run: z.int() }), z.object({})),
  /** Pauses scheduled runs until `until` (milliseconds since the epoch), or until `runs.resume`. */
  'runs.pause': method(z.object({ until: z.number().optional() }), z.object({})),
  'runs.resume': method(z.object({}), z.object({})),
  /** Runs that ended, newest first; `before` is the id of the last one of the page before. */
  'activity.list': method(
    z.object({
      set: setName.optional(),
      kind: runKind.optional(),
      outcome: outcome.optional(),
      /** An id. */
      destination: z.string().optional(),
      before: z.int().optional(),
      limit: z.int().min(1).max(200),
    }),
    z.object({ runs: z.array(listedRun), hasMore: z.boolean() }),
  ),
  /** Everything about one run, an active one too. */
  'activity.run': method(
    z.object({ run: z.int() }),
    z.object({
      run: listedRun.partial({ outcome: true, endedAt: true }),
      steps: z.array(runStep),
      report: runReport.optional(),
      /** The request of a restore, if it is known. */
      request: restoreRequest.optional(),
    }),
  ),
} as const;
