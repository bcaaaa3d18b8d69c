import type { AppState } from '../ipc/state.ts';
import { isOnOneDisk } from './destinations/one-disk.ts';
import { agoWords, partDone } from './state-sentence.ts';
import type { StateWords } from './state-sentence.ts';
import type { Language } from './strings.ts';

/** Describes the state of a locked window, without any name. `now` in milliseconds. */
export function lockedWords(state: AppState, language: Language, now: number): StateWords {
  const { lock: words, home } = language.strings;
  if (state.damage) return { headline: home.state.damaged };
  switch (state.health) {
    case 'not-set-up':
      return { headline: home.state.notSetUp };
    case 'at-risk':
      return { headline: words.state.atRisk, detail: words.state.seeWhat };
    case 'attention':
      return { headline: words.state.attention, detail: words.state.seeWhat };
    case 'running':
      return runningWords(state, language);
    case 'waiting':
      return { headline: words.state.waiting };
    case 'paused':
      return { headline: words.state.paused };
    case 'protected': {
      const isAtStake = state.lock?.isOnOneDisk ?? isOnOneDisk(state);
      const headline = isAtStake ? words.state.protectedOnOneDisk : words.state.protected;
      if (state.since === undefined) return { headline };
      return { headline, detail: home.state.lastBackup(agoWords(state.since, language, now)) };
    }
  }
}

/** Joins the parts into one text, for the tray. */
export function lockedSentence(state: AppState, language: Language, now: number): string {
  const { headline, detail } = lockedWords(state, language, now);
  return detail === undefined ? headline : `${headline} ${detail}`;
}

/** Takes the whole state, or the part that a locked window receives. */
function runningWords({ runs, lock }: AppState, { strings, formats }: Language): StateWords {
  const words = strings.lock.state;
  const [first] = runs;
  const run = lock?.run ?? (first && { kind: first.kind, part: partDone(first) });
  const headlines = {
    backup: words.running,
    restore: words.restoring,
    verify: words.verifying,
    drill: words.drilling,
    check: words.verifying,
    repair: words.repairing,
    copy: words.copying,
    undo: words.undoing,
    export: words.exporting,
  };
  const headline = headlines[run?.kind ?? 'backup'];
  return run?.part === undefined ? { headline } : { headline, detail: words.part(formats.percent(run.part)) };
}
