import type { PauseEnd } from '../../ipc/pause-end.ts';
import type { AppState, LockState, SetState } from '../../ipc/state.ts';
import type { ActiveRun, RunAtDestination } from '../../model/run.ts';
import { agoWords, runName, runSentence, stateSentence } from '../../strings/state-sentence.ts';
import { runPlaceWords } from '../../strings/destinations/run-place-words.ts';
import { backedUpWords, standingWords } from '../../strings/destinations/standing-words.ts';
import { standingsOf } from '../../strings/destinations/standing.ts';
import type { Standing } from '../../strings/destinations/standing.ts';
import { lockedSentence } from '../../strings/locked-sentence.ts';
import type { Language } from '../../strings/strings.ts';

/** The icons of assets/tray. */
export type TrayIcon = 'idle' | 'protected' | 'running' | 'waiting' | 'paused' | 'attention' | 'risk';

export type TrayAction =
  | { readonly kind: 'back-up'; readonly set: string }
  | { readonly kind: 'back-up-all' }
  | { readonly kind: 'stop'; readonly run: number }
  | { readonly kind: 'pause'; readonly until: PauseEnd }
  | { readonly kind: 'resume' }
  | { readonly kind: 'open' }
  | { readonly kind: 'lock' }
  | { readonly kind: 'quit' };

export type TrayItem =
  | { readonly kind: 'text'; readonly label: string }
  | { readonly kind: 'separator' }
  | { readonly kind: 'action'; readonly label: string; readonly action: TrayAction; readonly isEnabled: boolean }
  | { readonly kind: 'submenu'; readonly label: string; readonly items: readonly TrayItem[] };

export interface TrayModel {
  readonly icon: TrayIcon;
  readonly tooltip: string;
  readonly items: readonly TrayItem[];
}

/**
 * Derives the icon, the tooltip and the menu of the tray from the state.
 *
 * @param state `undefined` until the agent has sent the first one
 * @param lock of the window: the tray hides what a locked window hides, except the names of the sets
 * @param now milliseconds since the epoch
 */
export function trayModel(
  state: AppState | undefined,
  lock: LockState | undefined,
  language: Language,
  now: number,
): TrayModel {
  const words = language.strings.shell.tray;
  const isLocked = lock?.isLocked === true;
  const sentenceOf = isLocked ? lockedSentence : stateSentence;
  const sentence = state ? sentenceOf(state, language, now) : words.starting;
  const standings = state ? severalOf(state, now) : [];
  // A run has its own sentence.
  const isCounted = standings.length > 0 && state?.health !== 'running';
  return {
    icon: iconOf(state),
    tooltip: [
      language.formats.labelled(language.strings.common.product, sentence),
      ...(isCounted ? [`${backedUpWords(standings, language)}.`] : []),
    ].join(' '),
    items: [
      ...(state ? stateItems(state, sentence, isLocked, language) : [{ kind: 'text' as const, label: sentence }]),
      ...(standings.length > 0 ? [destinationsItem(standings, isLocked, language, now)] : []),
      ...(state?.destination && !state.damage ? workItems(state, language) : []),
      { kind: 'separator' },
      action(isLocked ? words.unlock : state?.health === 'not-set-up' ? words.setUp : words.open, { kind: 'open' }),
      ...(lock?.isOn && !isLocked ? [action(words.lock, { kind: 'lock' })] : []),
      action(words.quit, { kind: 'quit' }),
    ],
  };
}

function iconOf(state: AppState | undefined): TrayIcon {
  if (state?.damage) return 'risk';
  switch (state?.health) {
    case undefined:
    case 'not-set-up':
      return 'idle';
    case 'at-risk':
      return 'risk';
    case 'attention':
    case 'running':
    case 'waiting':
    case 'paused':
    case 'protected':
      return state.health;
  }
}

/** The sentence of the state, and the progress of every run. */
function stateItems(state: AppState, sentence: string, isLocked: boolean, language: Language): readonly TrayItem[] {
  const items: TrayItem[] = [{ kind: 'text', label: sentence }];
  for (const run of state.runs) {
    const line = runSentence(run, language);
    if (line !== sentence && !isLocked) items.push({ kind: 'text', label: line });
    const progress = progressLine(run, language);
    if (progress !== undefined) items.push({ kind: 'text', label: progress });
    if (!isLocked) items.push(...(run.destinations ?? []).map((place) => placeItem(place, language)));
  }
  return items;
}

/** How far a backup is at one of its destinations. */
function placeItem(place: RunAtDestination, language: Language): TrayItem {
  return { kind: 'text', label: language.strings.destinations.inTray(place.name, runPlaceWords(place, language)) };
}

/** The standings of several destinations; none while nothing can be said about the backups there. */
function severalOf(state: AppState, now: number): readonly Standing[] {
  const isUnknown = state.destinations.length < 2 || state.sets.length === 0 || state.damage || state.trouble;
  return isUnknown ? [] : standingsOf(state, now);
}

/** The number of destinations with everything, and each of them. Their names are hidden while the window is locked. */
function destinationsItem(
  standings: readonly Standing[],
  isLocked: boolean,
  language: Language,
  now: number,
): TrayItem {
  const label = backedUpWords(standings, language);
  if (isLocked) return { kind: 'text', label };
  return {
    kind: 'submenu',
    label,
    items: standings.map((standing) => ({ kind: 'text', label: lineOf(standing, language, now) })),
  };
}

function lineOf(standing: Standing, language: Language, now: number): string {
  const { destinations: words } = language.strings;
  const { copyAt, destination } = standing;
  const line = words.inTray(destination.name, standingWords(standing, language));
  return copyAt === undefined ? line : words.copies.noted(line, agoWords(copyAt, language, now));
}

function progressLine(run: ActiveRun, { strings, formats }: Language): string | undefined {
  const words = strings.shell.tray;
  if (run.phase === 'scanning' || run.phase === 'planning') return words.files(run.filesDone);
  if (run.bytesTotal === undefined || run.phase === 'stopping') return undefined;
  const [done, total] = [formats.bytes(run.bytesDone), formats.bytes(run.bytesTotal)];
  return run.etaSeconds === undefined
    ? words.progress(done, total)
    : words.progressAndTime(done, total, formats.remaining(run.etaSeconds));
}

function workItems(state: AppState, language: Language): readonly TrayItem[] {
  const words = language.strings.shell.tray;
  const items: TrayItem[] = [{ kind: 'separator' }];
  const running = new Set(state.runs.filter(({ kind }) => kind === 'backup').map(({ set }) => set));
  const backUp = (set: SetState, label: string): TrayItem => ({
    ...action(label, { kind: 'back-up', set: set.name }),
    isEnabled: !running.has(set.name),
  });
  const [only, ...others] = state.sets;
  if (only && others.length === 0) items.push(backUp(only, words.backUpSet(only.name)));
  else if (only) {
    const all = { ...action(words.backUpAll, { kind: 'back-up-all' }), isEnabled: running.size === 0 };
    const single = state.sets.map((set) => backUp(set, set.name));
    items.push({ kind: 'submenu', label: words.backUp, items: [all, { kind: 'separator' }, ...single] });
  }
  for (const run of state.runs) {
    const isStopping = run.phase === 'stopping';
    items.push({
      ...action(words.stop(runName(run, language.strings)), { kind: 'stop', run: run.id }),
      isEnabled: !isStopping,
    });
  }
  if (state.pause) items.push(action(words.resume, { kind: 'resume' }));
  else if (only) items.push({ kind: 'submenu', label: words.pause, items: pauseItems(language) });
  return items.length > 1 ? items : [];
}

function pauseItems({ strings }: Language): readonly TrayItem[] {
  const words = strings.shell.tray;
  return [
    action(words.pauseHour, { kind: 'pause', until: 'hour' }),
    action(words.pauseTomorrow, { kind: 'pause', until: 'morning' }),
    action(words.pauseOpen, { kind: 'pause', until: 'resumed' }),
  ];
}

function action(label: string, what: TrayAction): Extract<TrayItem, { kind: 'action' }> {
  return { kind: 'action', label, action: what, isEnabled: true };
}
