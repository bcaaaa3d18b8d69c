import { ipcMain } from 'electron';
import type { WebContents, WebFrameMain } from 'electron';
import { mainMethods, windowAgentMethods } from '../../ipc/contract/contract.ts';
import type { Answer } from '../../base/calls/answer.ts';
import { type Failure, failureOf } from '../../base/errors/failure.ts';
import type { Handlers } from '../../base/calls/contract.ts';
import { CHANNELS } from '../../ipc/window-port.ts';
import { serve } from '../../base/calls/serve-contract.ts';
import { refuseWhileLocked } from '../lock/refuse-while-locked.ts';
import { PAGE_ADDRESS } from '../page-address.ts';

export interface WindowCalls {
  /** Returns whether a page belongs to a window of this program. */
  readonly isOurs: (contents: WebContents) => boolean;
  readonly main: Handlers<typeof mainMethods>;
  /** Returns whether the window's lock is closed. */
  readonly isLocked: () => boolean;
  readonly callAgent: (name: string, input: unknown) => Promise<Answer>;
}

/** Answers the calls of windows: performs those of the main process, and passes the others to the agent, which checks them. */
export function serveWindows({ isOurs, main, isLocked, callAgent }: WindowCalls): void {
  ipcMain.handle(CHANNELS.call, async ({ sender, senderFrame }, name: unknown, input: unknown): Promise<Answer> => {
    if (!isOurs(sender) || !isPage(sender, senderFrame)) return refused('sender');
    if (typeof name !== 'string') return refused('method');
    return refuseWhileLocked(isLocked, name, () =>
      Object.hasOwn(windowAgentMethods, name) ? callAgent(name, input) : serve(mainMethods, main, name, input, explain),
    );
  });
}

/** Accepts the page itself only: no frame in it, and no other page that the window might have reached. */
function isPage(sender: WebContents, frame: WebFrameMain | null): boolean {
  return frame !== null && frame === sender.mainFrame && frame.url === PAGE_ADDRESS;
}

function explain(error: unknown): Failure {
  return (
    failureOf(error) ?? { code: 'internal', details: { problem: error instanceof Error ? error.name : typeof error } }
  );
}

function refused(problem: 'method' | 'sender'): Answer {
  return { ok: false, failure: { code: 'refused', details: { problem } } };
}
