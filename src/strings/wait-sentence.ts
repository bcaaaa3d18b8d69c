import type { WaitReason } from '../ipc/state.ts';
import { momentWords } from './moment-words.ts';
import type { Language } from './strings.ts';

/** Nothing has failed: what it was in the middle of ended around it. */
const CUT_OFF: ReadonlySet<string> = new Set(['interrupted', 'agent_gone']);

/** Why something waits, to stand after a colon: `on battery (31%)`. */
export function waitSentence(reason: WaitReason, { strings, formats }: Language, now: number): string {
  const words = strings.home.reasons;
  switch (reason.kind) {
    case 'battery': {
      if (reason.percent === undefined) return words.battery;
      const percent = formats.percent(reason.percent / 100);
      if (reason.atLeast === undefined) return words.batteryAt(percent);
      return words.batteryUntil(percent, formats.percent(reason.atLeast / 100));
    }
    case 'metered':
      return words.metered;
    case 'network':
      return reason.name === undefined ? words.network : words.networkNamed(reason.name);
    case 'paused':
      return reason.until === undefined ? words.paused : words.pausedUntil(momentWords(reason.until, now, formats));
    case 'other-run':
      return words.otherRun(reason.set);
    case 'busy':
      return reason.holder === undefined ? words.busy : words.busyHolder(reason.holder);
    case 'destination':
      return words.destination(reason.place);
    case 'retry': {
      const moment = momentWords(reason.at, now, formats);
      return CUT_OFF.has(reason.failure.code) ? words.retryCutOff(moment) : words.retry(moment);
    }
  }
}
