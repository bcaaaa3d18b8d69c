import { z } from 'zod';
import { method } from '../../base/calls/contract.ts';
import { setName } from '../../model/set.ts';
import { hookTexts } from './hooks.ts';
import { lockPassword } from './account/lock.ts';

const setHooks = z.object({ set: setName, commands: hookTexts });

/** Whether macOS gives the program Full Disk Access; `unknown` on other systems. */
const diskAccess = z.enum(['given', 'missing', 'unknown']);
export type DiskAccess = z.infer<typeof diskAccess>;

/** The calls that Electron's main process performs itself. */
export const shellMethods = {
  /** Shows the system's dialog; `path` is missing if the person cancels it. */
  'shell.choose-folder': method(
    z.object({ title: z.string(), from: z.string().optional() }),
    z.object({ path: z.string().optional() }),
  ),
  /** As `shell.choose-folder`, for an existing file. */
  'shell.choose-file': method(
    z.object({ title: z.string(), from: z.string().optional() }),
    z.object({ path: z.string().optional() }),
  ),
  /** Only addresses of the allow-list, in the system's browser. Fails with `refused`. */
  'shell.open-link': method(z.object({ url: z.string() }), z.object({})),
  /** Shows a file or a folder in the system's file manager. */
  'shell.show-path': method(z.object({ path: z.string().min(1) }), z.object({})),
  'shell.copy': method(z.object({ text: z.string() }), z.object({})),
  /**
   * Saves a PDF with the recovery phrase where the person chooses; the phrase does not pass through the window. While the
   * window's lock is on, the person is verified as by `shell.reveal-phrase`.
   */
  'shell.save-kit': method(lockPassword, z.object({ path: z.string().optional() })),
  /**
   * Returns the phrase after the person was verified by the system or by the lock's password; `isAsked` is false if neither
   * is available. Fails with `lock_password_needed`, and as `lock.unlock`.
   */
  'shell.reveal-phrase': method(lockPassword, z.object({ words: z.array(z.string()), isAsked: z.boolean() })),
  /** Restarts an agent that does not start by itself. */
  'shell.restart-agent': method(z.object({}), z.object({})),
  /** Takes the need `agent-restarted` from the state. */
  'shell.dismiss-restart': method(z.object({}), z.object({})),
  /** Saves the agent's diagnostics, or a report on why there is no agent. */
  'shell.save-diagnostics': method(z.object({}), z.object({ path: z.string().optional() })),
  /** Saves a PDF with the newest test restores where the person chooses. */
  'shell.save-certificate': method(z.object({}), z.object({ path: z.string().optional() })),
  /**
   * Saves the commands around the backups of a set, once the person has confirmed them in a dialog of the system: a page that was
   * taken over could otherwise run programs. Fails with `set_unknown`, `usage`.
   */
  'shell.save-hooks': method(setHooks, z.object({ isSaved: z.boolean() })),
  'shell.disk-access': method(z.object({}), z.object({ access: diskAccess })),
  /** Opens the pane of macOS in which a person gives Full Disk Access. Fails with `refused` on other systems. */
  'shell.open-disk-access': method(z.object({}), z.object({})),
  /** Returns what this system supports. */
  'shell.abilities': method(
    z.object({}),
    z.object({
      startAtLogin: z.boolean(),
      fileManagers: z.boolean(),
      tray: z.boolean(),
      notifications: z.boolean(),
      platform: z.string(),
      locale: z.string(),
    }),
  ),
} as const;

/** Methods of the agent for the main process alone; never relayed for a window. */
export const privateAgentMethods = {
  'phrase.words': method(
    z.object({}),
    z.object({ words: z.array(z.string()), device: z.string(), location: z.string() }),
  ),
  /** Checks that the phrase belongs to these backups. Fails with `phrase_invalid`, `phrase_other_account`, `not_set_up`. */
  'phrase.check': method(z.object({ phrase: z.string() }), z.object({})),
  /** Replaces the commands around the backups of a set. */
  'sets.hooks.save': method(setHooks, z.object({})),
  /** Reports that the computer woke up, or its power or network changed: everything due is checked now. */
  'environment.changed': method(z.object({ what: z.enum(['resumed', 'power', 'network']) }), z.object({})),
  /** Ends all work gracefully; returns when the process may end. */
  'agent.stop': method(z.object({}), z.object({})),
} as const;
