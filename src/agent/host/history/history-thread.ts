import { workerData } from 'node:worker_threads';
import { byName, serveCalls } from '../../../base/calls/serve-calls.ts';
import { parentThreadPort } from '../../../base/calls/thread-port.ts';
import { homeAt } from '../../home/home.ts';
import { HistoryAnswers } from '../../operations/history/history-answers.ts';
import { historyAnswersFor, type HistoryCalls } from './history-calls.ts';

// Searches take milliseconds, during which the host answers other calls.

const port = parentThreadPort();
const { home } = workerData as { readonly home: string };
const answers = new HistoryAnswers(homeAt(home));

const handle = byName<HistoryCalls>({ ...historyAnswersFor(answers), close: () => answers[Symbol.dispose]() });
serveCalls(port, handle, {
  onAnswered: (name) => {
    if (name === 'close') port.close();
  },
});
