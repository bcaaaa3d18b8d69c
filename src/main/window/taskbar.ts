import type { AppState } from '../../ipc/state.ts';
import { partDone } from '../../strings/state-sentence.ts';

/** What the taskbar or the dock shows of the state. */
export interface TaskbarState {
  /** Of `BrowserWindow.setProgressBar`: 0 to 1, 2 for work of unknown length, -1 for none. */
  readonly progress: number;
  /** Windows colours the progress by it. */
  readonly mode: 'normal' | 'paused' | 'error' | 'indeterminate' | 'none';
  /** What needs the person; 0 if nothing does. Unity and KDE show it at the launcher, and macOS in the dock. */
  readonly count: number;
}

/** The share is that of the sentence in the window. */
export function taskbarState({ runs, needs, health }: Pick<AppState, 'runs' | 'needs' | 'health'>): TaskbarState {
  const count = health === 'attention' || health === 'at-risk' ? needs.length : 0;
  const [run] = runs;
  if (!run) return { progress: -1, mode: 'none', count };
  const part = run.phase === 'stopping' ? undefined : partDone(run);
  if (part === undefined) return { progress: 2, mode: 'indeterminate', count };
  return { progress: Math.min(1, Math.max(0, part)), mode: run.waiting === undefined ? 'normal' : 'paused', count };
}
