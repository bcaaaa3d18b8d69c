import { ipcMain } from 'electron';
import type { WebContents, WebFrameMain } from 'electron';
import { mainMethods, windowAgentMethods } from '../../ipc/contract.ts';
import type { Answer } from '../../base/calls/answer.ts';
import { failureOf, type Failure } from '../../base/failure.ts';
import type { Handlers } from '../../base/calls/method.ts';
import { CHANNELS } from '../../ipc/port.ts';
import { serve } from '../../base/calls/serve.ts';
import { whileOpen } from '../lock/gate.ts';
import { PAGE_ADDRESS } from './page-files.ts';

export interface WindowCalls {
  /** Whether a page is that of a window of ours. */
  readonly isOurs: (contents: WebContents) => boolean;
  readonly main: Handlers<typeof mainMethods>;
  /** Whether nothing is to be seen or done in the window until somebody opens its lock. */
  readonly isLocked: () => boolean;
  readonly askAgent: (name: string, input: unknown) => Promise<Answer>;
}

/** Answers what windows ask: what the main process does, and the rest by the agent, which checks it. */
export function answerWindows({ isOurs, main, isLocked, askAgent }: WindowCalls): void {
  ipcMain.handle(CHANNELS.call, async ({ sender, senderFrame }, name: unknown, input: unknown): Promise<Answer> => {
    if (!isOurs(sender) || !isPage(sender, senderFrame)) return refused('sender');
    if (typeof name !== 'string') return refused('method');
    return whileOpen(isLocked, name, () =>
      Object.hasOwn(windowAgentMethods, name) ? askAgent(name, input) : serve(mainMethods, main, name, input, explain),
    );
  });
}

/** Only the page itself: no frame inside of it, and no other page that the window could have got to. */
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
