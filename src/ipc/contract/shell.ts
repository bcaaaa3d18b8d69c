import { z } from 'zod';
import { method } from '../../base/calls/contract.ts';

/** For what the lock's password is asked for once more. */
const lockPassword = z.object({ password: z.string().min(1).max(1000).optional() });

/** What Electron's main process does for the window by itself. */
export const shellMethods = {
  /** The system's dialog; nothing where the person gave it up. */
  'shell.choose-folder': method(
    z.object({ title: z.string(), from: z.string().optional() }),
    z.object({ path: z.string().optional() }),
  ),
  /** Only addresses of the allow-list, in the system's browser. Fails with `refused`. */
  'shell.open-link': method(z.object({ url: z.string() }), z.object({})),
  /** Shows a file or a folder in the system's file manager. */
  'shell.show-path': method(z.object({ path: z.string().min(1) }), z.object({})),
  'shell.copy': method(z.object({ text: z.string() }), z.object({})),
  /**
   * A PDF with the recovery phrase, written where the person says; the phrase does not come from the window. While the
   * window's lock is on, whoever asks is asked who they are, as by `shell.reveal-phrase`.
   */
  'shell.save-kit': method(lockPassword, z.object({ path: z.string().optional() })),
  /**
   * The phrase once more, after the system has asked who is there, where it can, or else the lock's password, where one
   * is set; `isAsked` tells whether anybody did. Fails with `lock_password_needed`, and as `lock.unlock`.
   */
  'shell.reveal-phrase': method(lockPassword, z.object({ words: z.array(z.string()), isAsked: z.boolean() })),
  /** Starts the agent anew, where it does not start by itself. */
  'shell.restart-agent': method(z.object({}), z.object({})),
  /** What the agent knows of itself, or, where there is none, what is known of that. */
  'shell.save-diagnostics': method(z.object({}), z.object({ path: z.string().optional() })),
  /** Whether this system lets Holdfast start at login, and a tray can be shown. */
  'shell.abilities': method(
    z.object({}),
    z.object({
      startAtLogin: z.boolean(),
      tray: z.boolean(),
      notifications: z.boolean(),
      platform: z.string(),
      locale: z.string(),
    }),
  ),
} as const;

/** Of the agent, for the main process alone: never relayed for a window. */
export const privateAgentMethods = {
  'phrase.words': method(z.object({}), z.object({ words: z.array(z.string()), device: z.string(), place: z.string() })),
  /** Whether it is the phrase of these backups. Fails with `phrase_invalid`, `phrase_other_account`, `not_set_up`. */
  'phrase.check': method(z.object({ phrase: z.string() }), z.object({})),
  /** The computer woke up, or its power or network changed: everything that is due is looked at now. */
  'environment.changed': method(z.object({ what: z.enum(['resumed', 'power', 'network']) }), z.object({})),
  /** Ends what goes on in order; answered when the process may go. */
  'agent.stop': method(z.object({}), z.object({})),
} as const;
