import type { Handlers } from '../../../base/calls/contract.ts';
import type { historyMethods } from '../../../ipc/contract/restore/history.ts';
import type { HandlerContext } from '../handler-context.ts';
import { HistoryPort } from './history-port.ts';

/** Handles questions about the history of files. */
export function historyHandlers({ home }: Pick<HandlerContext, 'home'>): Handlers<typeof historyMethods> {
  const port = new HistoryPort(home);
  return {
    'history.find': (input) => port.calls.call('find', input),
    'history.versions': (input) => port.calls.call('versions', input),
    'history.folder': (input) => port.calls.call('folder', input),
    'history.timeline': (input) => port.calls.call('timeline', input),
    'history.gone': (input) => port.calls.call('gone', input),
    'history.changes': (input) => port.calls.call('changes', input),
    'history.changed-folder': (input) => port.calls.call('changedFolder', input),
  };
}
