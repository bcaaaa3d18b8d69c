import type { ActiveRun, AppState } from '../ipc/state.ts';
import { partDone, runSentence } from './state-sentence.ts';
import type { Language } from './strings.ts';

/** How far a run was when it was said last. */
export interface ToldRun {
  readonly id: number;
  readonly set: string;
  readonly quarter: number;
}

export interface RunNews {
  readonly told: ToldRun | undefined;
  /** `undefined` without news. */
  readonly text: string | undefined;
}

/**
 * What somebody hears who does not see the window: that a run has begun, each quarter of it, and how it ended. What is
 * heard at every tick is in the way of everything else.
 *
 * @param told what `told` was the last time; nothing at the beginning
 */
export function runNews(state: AppState, told: ToldRun | undefined, language: Language): RunNews {
  const [run] = state.runs;
  if (told && run?.id !== told.id) {
    const ended = endOf(told, state, language);
    if (ended !== undefined) return { told: undefined, text: ended };
  }
  // How it ended may come a moment later.
  if (!run) return { told, text: undefined };
  // All of it is there when it has ended, and not before.
  const quarter = Math.min(3, Math.floor((partDone(run) ?? 0) * 4));
  const isNew = told?.id !== run.id;
  if (!isNew && quarter <= told.quarter) return { told, text: undefined };
  return { told: { id: run.id, set: run.set, quarter }, text: runSentence(atQuarter(run, quarter), language) };
}

/** Of a backup: how others end is said where they are looked at, or by a notification. */
function endOf({ id, set }: ToldRun, { sets }: AppState, { strings }: Language): string | undefined {
  const last = sets.find(({ name }) => name === set)?.lastBackup;
  if (last?.id !== id) return undefined;
  const { titles, outcomes } = strings.activity;
  return strings.common.said(titles.backup(set), outcomes[last.outcome]);
}

function atQuarter(run: ActiveRun, quarter: number): ActiveRun {
  if (run.bytesTotal === undefined || quarter === 0) return { ...run, bytesTotal: undefined };
  return { ...run, bytesDone: (run.bytesTotal * quarter) / 4 };
}
