import type { AppState } from '../ipc/state.ts';
import type { ActiveRun } from '../model/run.ts';
import { partDone, runSentence } from './state-sentence.ts';
import type { Language } from './strings.ts';

/** The progress of a run at its last announcement. */
export interface AnnouncedRun {
  readonly id: number;
  readonly set: string;
  readonly quarter: number;
}

export interface RunNews {
  readonly announced: AnnouncedRun | undefined;
  /** `undefined` without news. */
  readonly text: string | undefined;
}

/**
 * Returns the announcements for people who do not see the window: the start of a run, each quarter of it, and its
 * outcome. Announcing every tick would drown out everything else.
 *
 * @param announced the previous value of `announced`; `undefined` at the beginning
 */
export function runNews(state: AppState, announced: AnnouncedRun | undefined, language: Language): RunNews {
  const [run] = state.runs;
  if (announced && run?.id !== announced.id) {
    const ended = endOf(announced, state, language);
    if (ended !== undefined) return { announced: undefined, text: ended };
  }
  // The outcome may follow a moment later.
  if (!run) return { announced, text: undefined };
  // The last quarter is complete only when the run has ended.
  const quarter = Math.min(3, Math.floor((partDone(run) ?? 0) * 4));
  const isNew = announced?.id !== run.id;
  if (!isNew && quarter <= announced.quarter) return { announced, text: undefined };
  return { announced: { id: run.id, set: run.set, quarter }, text: runSentence(atQuarter(run, quarter), language) };
}

/** Announces the end of a backup. The ends of other runs are shown in their views, or by a notification. */
function endOf({ id, set }: AnnouncedRun, { sets }: AppState, { strings }: Language): string | undefined {
  const last = sets.find(({ name }) => name === set)?.lastBackup;
  if (last?.id !== id) return undefined;
  const { titles, outcomes } = strings.activity;
  return strings.common.said(titles.backup(set), outcomes[last.outcome]);
}

function atQuarter(run: ActiveRun, quarter: number): ActiveRun {
  if (run.bytesTotal === undefined || quarter === 0) return { ...run, bytesTotal: undefined };
  return { ...run, bytesDone: (run.bytesTotal * quarter) / 4 };
}
