import type { SetState } from '../ipc/state.ts';
import type { Decision, WaitReason } from '../model/schedule/decision.ts';
import type { Strings } from './compiled/en.ts';
import { momentWords } from './time-formats.ts';
import type { Language } from './strings.ts';
import { MINUTE } from '../model/units.ts';

/** Describes the schedule's decision about a set in one line without a full stop. `now` in milliseconds. */
export function decisionSentence(decision: Decision, language: Language, now: number): string {
  const words = language.strings.home.decision;
  const moment = (at: number): string => momentWords(at, now, language.formats);
  switch (decision.kind) {
    case 'manual':
      return words.manual;
    case 'next':
      return decision.at <= now ? words.nextNow : words.next(moment(decision.at));
    case 'watching':
      return decision.isPartial ? words.watchingPartly : words.watching;
    case 'quiet':
      return decision.until <= now ? words.nextNow : words.quiet(moment(decision.until));
    case 'waiting':
      return words.waiting(waitSentence(decision.reason, language, now), moment(decision.since));
    case 'running':
      return words.running[decision.trigger](moment(decision.since));
  }
}

/** Describes the decision about the verification of a set; `undefined` if there is nothing to report. */
export function verificationSentence(decision: Decision, language: Language, now: number): string | undefined {
  const words = language.strings.home.check;
  const moment = (at: number): string => momentWords(at, now, language.formats);
  switch (decision.kind) {
    case 'next':
      return decision.at <= now ? words.nextNow : words.next(moment(decision.at));
    case 'waiting':
      return words.waiting(waitSentence(decision.reason, language, now), moment(decision.since));
    case 'running':
      return words.running(moment(decision.since));
    case 'manual':
    case 'watching':
    case 'quiet':
      return undefined;
  }
}

/** A run begins within this many milliseconds after the decision. */
const BEGINNING = MINUTE;

/** Describes why the last backup was late; `undefined` if it was not, or if a person started it. */
export function latenessSentence(
  { lastMoment: last, lastBackup }: Pick<SetState, 'lastMoment' | 'lastBackup'>,
  language: Language,
): string | undefined {
  if (last?.lateBy === undefined) return undefined;
  if (lastBackup && lastBackup.startedAt > last.ranAt + BEGINNING) return undefined;
  const words = language.strings.home.lateness;
  const span = language.formats.duration(wholeMinutes(Math.max(0, last.ranAt - last.dueAt) / 1000));
  if (last.lateBy === 'waited' && last.waitedFor !== undefined) {
    return words.because(span, waitedWords(last.waitedFor, language));
  }
  return words[last.lateBy](span);
}

/** Rounds more than a minute, of which nobody needs the seconds. */
function wholeMinutes(seconds: number): number {
  return seconds < 60 ? seconds : Math.round(seconds / 60) * 60;
}

/** Describes the reason of a wait that is over. */
function waitedWords(reason: WaitReason, { strings }: Language): string {
  const words = strings.home.lateness.reasons;
  switch (reason.kind) {
    case 'other-run':
      return words['other-run'](nameOf(reason.set, strings));
    case 'destination':
      return words.destination(reason.location);
    case 'battery':
    case 'metered':
    case 'network':
    case 'paused':
    case 'busy':
    case 'retry':
      return words[reason.kind];
  }
}

/** Failures of an interruption, after which nothing is wrong with the run itself. */
const CUT_OFF: ReadonlySet<string> = new Set(['interrupted', 'agent_gone']);

/** Describes the reason of a wait, for use after a colon: `on battery (31%)`. */
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
      return words.otherRun(nameOf(reason.set, strings));
    case 'busy':
      return reason.holder === undefined ? words.busy : words.busyHolder(reason.holder);
    case 'destination':
      return words.destination(reason.location);
    case 'retry': {
      const moment = momentWords(reason.at, now, formats);
      return CUT_OFF.has(reason.failure.code) ? words.retryCutOff(moment) : words.retry(moment);
    }
  }
}

/** The other run is of a set, or checks or repairs the destination. */
function nameOf(set: string, { activity }: Strings): string {
  return set === '' ? activity.titles.check(set) : set;
}
