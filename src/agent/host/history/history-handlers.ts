import type { Handlers } from '../../../base/calls/contract.ts';
import { historyMethods } from '../../../ipc/contract/restore/history.ts';
import type { HandlerContext } from '../handler-context.ts';
import { HistoryPort } from './history-port.ts';

/** Passes the questions about the history of files on to its thread. */
export function historyHandlers({ home }: Pick<HandlerContext, 'home'>): Handlers<typeof historyMethods> {
  const port = new HistoryPort(home);
  const names = Object.keys(historyMethods) as (keyof typeof historyMethods)[];
  const handlers = names.map((name) => [name, (input: never) => port.calls.call(name, input)] as const);
  return Object.fromEntries(handlers) as unknown as Handlers<typeof historyMethods>;
}
