import type { AgentParts } from '../../context/agent-parts.ts';
import { HistoryAnswers } from './history-answers.ts';
import type { HistoryReference } from './searched-sources.ts';
import { updateHistory, type FailedUpdate, type UpdateRequest, type UpdateRun } from './update-history.ts';

export interface OpenHistoryOptions extends UpdateRequest {
  /** Asks no destination: the answers are from what is known here. */
  readonly isLocal: boolean;
}

/** The history of files, as far as the destinations could be asked. */
export interface OpenedHistory extends Disposable {
  readonly answers: HistoryAnswers;
  /** With the destination of the agent. */
  readonly reference: HistoryReference;
  readonly failed: readonly FailedUpdate[];
}

/**
 * Opens the history of a set, brought up to date.
 *
 * @throws HoldfastError `not_set_up`, `set_unknown`, `interrupted`; what a destination throws if none could be asked and nothing is known here
 */
export async function openHistory(
  parts: AgentParts,
  { isLocal, retriesDamaged, ...reference }: OpenHistoryOptions,
  run: UpdateRun,
): Promise<OpenedHistory> {
  const failed = isLocal ? [] : await updateHistory(parts, { ...reference, retriesDamaged }, run);
  const answers = new HistoryAnswers(parts.home);
  try {
    const device = reference.device ?? (isLocal ? answers.otherDeviceOf(reference.set) : undefined);
    const asked = { set: reference.set, device, destination: parts.destination };
    const isWrong = failed.find(({ failure }) => failure.code === 'set_unknown');
    const { total } = answers.completeness(asked);
    const [first] = failed;
    if (first && total === 0) throw (isWrong ?? first).error;
    return { answers, reference: asked, failed, [Symbol.dispose]: () => answers[Symbol.dispose]() };
  } catch (error) {
    answers[Symbol.dispose]();
    throw error;
  }
}
