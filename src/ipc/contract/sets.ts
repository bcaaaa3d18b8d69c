import { z } from 'zod';
import { method } from '../../base/calls/contract.ts';
import { destinationId } from '../../model/destination.ts';
import { configuredSet, setForm, setName } from '../../model/set.ts';
import { hookResults, hookTexts } from './hooks.ts';

const path = z.string().min(1);

/** One rule of a set, and the files that it excludes. */
export const ruleEffect = z.object({
  /** A pattern, or `preset:NAME`. */
  rule: z.string(),
  files: z.int(),
  bytes: z.int(),
  /** Examples of excluded paths, at most 20. */
  examples: z.array(z.string()),
});
export type RuleEffect = Readonly<z.infer<typeof ruleEffect>>;

/** The estimated content of a set. The numbers grow while `done` is false. */
export const estimate = z.object({
  done: z.boolean(),
  files: z.int(),
  bytes: z.int(),
  rules: z.array(ruleEffect),
  /** Paths that could not be read, at most 100. */
  unreadable: z.array(z.string()),
});
export type Estimate = Readonly<z.infer<typeof estimate>>;

/** A folder or file on this computer, in the tree of the editor. */
export const localEntry = z.object({
  path,
  name: z.string(),
  kind: z.enum(['folder', 'file', 'other']),
  /** The size of a file; a folder's is counted by `sets.estimate`. */
  bytes: z.int().optional(),
  isHidden: z.boolean(),
  /** True if the folder can be read. */
  isReadable: z.boolean(),
  /** The presets that leave it out, if there are any. */
  presets: z.array(z.string()).optional(),
});
export type LocalEntry = Readonly<z.infer<typeof localEntry>>;

/** The policy as the service stores it. A missing value disables that rule. */
export const retentionForm = z.object({
  keepAllDays: z.int().min(0).optional(),
  hourly: z.int().min(0).optional(),
  daily: z.int().min(0).optional(),
  weekly: z.int().min(0).optional(),
  monthly: z.int().min(0).optional(),
  yearly: z.int().min(0).optional(),
});
export type RetentionForm = Readonly<z.infer<typeof retentionForm>>;

/** The hourly timer of a set in the person's systemd. */
const timerState = z.object({
  isOn: z.boolean(),
  /** False without the package that has the unit of the timer. */
  isInstalled: z.boolean(),
  withoutLogin: z.enum(['yes', 'no', 'unknown']),
  /** The person's name at this computer. */
  user: z.string(),
});
export type TimerState = Readonly<z.infer<typeof timerState>>;

const at = { destination: destinationId.optional() };
const setAndForm = z.object({ set: setName, form: setForm });

export const setMethods = {
  /** Lists the folders with a person's own files (documents, pictures, …) that exist. */
  'sets.suggestions': method(
    z.object({}),
    z.object({
      folders: z.array(
        z.object({
          path,
          kind: z.enum(['documents', 'pictures', 'desktop', 'music', 'videos', 'downloads', 'projects', 'home']),
        }),
      ),
    }),
  ),
  /** Lists the presets and what they exclude on this system, as people read it. A new set has those with `isDefault`. */
  'sets.presets': method(
    z.object({}),
    z.object({
      presets: z.array(z.object({ name: z.string(), patterns: z.array(z.string()), isDefault: z.boolean() })),
    }),
  ),
  /** Lists a folder, folders first, by name; without `path`, the roots of this computer and the home folder. */
  'sets.folder': method(
    z.object({ path: path.optional() }),
    z.object({ entries: z.array(localEntry), isTruncated: z.boolean() }),
  ),
  /** Returns the presets that leave out a folder of this computer, or a folder above it. Those that none leaves out are not listed. */
  'sets.left-out': method(
    z.object({ path }),
    z.object({ folders: z.array(z.object({ path, presets: z.array(z.string()) })) }),
  ),
  /**
   * Begins to count the contents of a set, or returns the progress: call again with the same `estimate` until `done`. An
   * estimate that is not requested for a minute is cancelled.
   */
  'sets.estimate': method(
    configuredSet.pick({ roots: true, excludes: true, presets: true, oneFileSystem: true }).extend({
      /** An id of this estimate, chosen by the caller. */
      estimate: z.string().min(1),
    }),
    estimate,
  ),
  'sets.estimate.stop': method(z.object({ estimate: z.string().min(1) }), z.object({})),
  /** Returns the form of a set, and the command line that creates the same set. */
  'sets.get': method(z.object({ set: setName }), z.object({ form: setForm, command: z.string() })),
  /** Finds the set that backs up a path of this computer; `found` is missing if none does. */
  'sets.locate': method(
    z.object({ path: path.max(4096) }),
    z.object({
      found: z
        .object({
          set: setName,
          /** Entry paths: the folder of the set that holds it, and the path itself. */
          root: z.string(),
          path: z.string(),
          isFolder: z.boolean(),
        })
        .optional(),
    }),
  ),
  /** Returns the command line for an unsaved form and, with a policy, the one that sets the policy. */
  'sets.command': method(
    z.object({ form: setForm, policy: retentionForm.optional() }),
    z.object({ command: z.string(), retention: z.string().optional() }),
  ),
  /** Saves a new set. Fails with `set_exists`, `usage`, `source_missing`, `source_unreadable`. */
  'sets.add': method(z.object({ form: setForm }), z.object({ passedOver: z.array(path).readonly() })),
  /** Saves an existing set; its name cannot change. Fails as `sets.add`, and with `set_unknown`. */
  'sets.save': method(setAndForm, z.object({ passedOver: z.array(path).readonly() })),
  /** Returns the commands around the backups of a set, and how the last commands and pings ended. */
  'sets.hooks': method(z.object({ set: setName }), z.object({ commands: hookTexts, results: hookResults })),
  /** Returns whether systemd backs a set up by its timer, and whether it does so without a login. Fails with `timer_failed`. */
  'sets.timer': method(z.object({ set: setName }), timerState),
  /** Switches that; switching on also asks systemd to run without a login. Fails with `timer_failed`. */
  'sets.timer.save': method(z.object({ set: setName, isOn: z.boolean() }), timerState),
  /** Removes a set from this computer; its restore points stay. */
  'sets.remove': method(z.object({ set: setName }), z.object({})),
  /**
   * Returns the retention policy at a destination; by default at the first that responds and has policies, and whether others have another
   * one. An empty policy keeps everything; `null` is that of a destination without policies, which keeps everything by itself.
   */
  'sets.retention': method(
    z.object({ set: setName, ...at }),
    z.object({ policy: retentionForm.nullable(), differs: z.boolean().optional() }),
  ),
  /** Saves the policy at a destination; by default at all, of which one that is absent gets it with the next backup there. */
  'sets.retention.save': method(z.object({ set: setName, policy: retentionForm, ...at }), z.object({})),
  /** Returns what a policy would remove at a destination, by default the first, and when the space becomes free. */
  'sets.retention.preview': method(
    z.object({ set: setName, policy: retentionForm, ...at }),
    z.object({
      kept: z.int(),
      /** `madeAt` as in the list of restore points. */
      dropped: z.array(z.object({ restorePoint: z.string(), madeAt: z.string() })),
      freedBytes: z.int().optional(),
      /** ISO 8601. */
      freedAt: z.string().optional(),
      /** The destination keeps what is deleted as old versions, whose space is free only once these are gone. */
      keepsDeleted: z.boolean().optional(),
    }),
  ),
} as const;
