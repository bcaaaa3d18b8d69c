import type { AppState } from '../ipc/state.ts';
import type { Need } from '../model/need.ts';
import type { ActiveRun } from '../model/run.ts';
import type { Strings } from './compiled/en.ts';
import { momentWords } from './time-formats.ts';
import type { Language } from './strings.ts';
import { waitSentence } from './decision-sentence.ts';
import { isOnOneDisk } from './destinations/one-disk.ts';
import { shortPath } from './short-path.ts';
import { MINUTE } from '../model/units.ts';

/** Characters of a folder in a sentence. */
const FOLDER_LENGTH = 48;

/** Describes the state in one or two sentences, for the tray and screen readers. `now` in milliseconds. */
export function stateSentence(state: AppState, language: Language, now: number): string {
  const { headline, detail } = stateWords(state, language, now);
  return detail === undefined ? headline : `${headline} ${detail}`;
}

export interface StateWords {
  readonly headline: string;
  readonly detail?: string;
}

/** Returns the two parts of the state's sentence, for views that emphasise the first one. */
export function stateWords(state: AppState, language: Language, now: number): StateWords {
  const words = language.strings.home.state;
  if (state.trouble) return { headline: words.noAgent };
  if (state.damage) return { headline: words.damaged };
  switch (state.health) {
    case 'not-set-up':
      return { headline: words.notSetUp, detail: words.notSetUpHint };
    case 'at-risk':
      return { headline: words.atRisk, detail: firstNeed(state, language) };
    case 'attention':
      if (state.needs[0]?.kind === 'no-set') return noSetWords(state.needs[0], language);
      return { headline: words.attention, detail: firstNeed(state, language) };
    case 'running':
      return { headline: state.runs[0] ? runSentence(state.runs[0], language) : words.running };
    case 'waiting':
      return { headline: waitingWords(state, language, now), ...lastBackup(lastGoodBackup(state), language, now) };
    case 'paused': {
      const until = state.pause?.until;
      const headline =
        until === undefined ? words.paused : words.pausedUntil(momentWords(until, now, language.formats));
      return { headline, ...lastBackup(lastGoodBackup(state), language, now) };
    }
    case 'protected':
      return {
        headline: isOnOneDisk(state) ? words.protectedOnOneDisk : words.protected,
        ...lastBackup(state.since ?? lastGoodBackup(state), language, now),
      };
  }
}

/** Restoring what other computers have backed up needs no set here. */
function noSetWords({ restorable = 0 }: Extract<Need, { kind: 'no-set' }>, { strings }: Language): StateWords {
  const { needs, state } = strings.home;
  return { headline: needs.noSet, ...(restorable === 0 ? {} : { detail: state.restorable(restorable) }) };
}

function lastBackup(at: number | undefined, language: Language, now: number): Pick<StateWords, 'detail'> {
  return at === undefined ? {} : { detail: language.strings.home.state.lastBackup(agoWords(at, language, now)) };
}

function firstNeed(state: AppState, { strings }: Language): string {
  const [need] = state.needs;
  return need ? needSentence(need, strings) : strings.home.state.somethingWrong;
}

/** Describes a run and its progress. */
export function runSentence(run: ActiveRun, { strings, formats }: Language): string {
  const words = strings.home.state;
  const subject = runSubject(run);
  if (run.phase === 'stopping') return words[run.kind](subject, words.stopping);
  if (run.phase === 'committing' || run.phase === 'finishing') return words[run.kind](subject, words.finishing);
  const part = partDone(run);
  if (part === undefined) return words[run.kind](subject, run.kind === 'backup' ? words.looking : words.preparing);
  return words[run.kind](subject, run.scan ? words.scanned(formats.percent(part)) : formats.percent(part));
}

/** Names what a run works on, in quotes or in a list: its set, or itself if it concerns a destination. */
export function runName(run: Pick<ActiveRun, 'kind' | 'set' | 'destination'>, { activity }: Strings): string {
  return run.set === '' ? activity.titles[run.kind](runSubject(run)) : run.set;
}

/** The set of a run, or the destination that it checks or repairs; empty for the only destination. */
export function runSubject({ set, destination }: Pick<ActiveRun, 'set' | 'destination'>): string {
  return destination?.name ?? set;
}

/** Returns whether a run is a restore that no person has just requested, so that its cause has to be shown. */
export function isResumedRestore({ kind, trigger }: ActiveRun): boolean {
  return kind === 'restore' && trigger === 'resume';
}

/** From 0 to 1, of a scan or of what follows it; `undefined` before the total is known. */
export function partDone(run: ActiveRun): number | undefined {
  if (run.scan) return floored(Math.min(MOST_SCANNED, run.scan.bytes / run.scan.bytesExpected));
  if (run.bytesTotal === undefined) return undefined;
  // Rounding up would show 100 % before everything is done.
  return run.bytesTotal === 0 ? 0 : floored(Math.min(1, run.bytesDone / run.bytesTotal));
}

/** There may be more files than at the last backup. */
const MOST_SCANNED = 0.99;

function floored(part: number): number {
  return Math.floor(part * 100) / 100;
}

function waitingWords(state: AppState, language: Language, now: number): string {
  const words = language.strings.home.state;
  for (const { decision } of state.sets) {
    if (decision.kind !== 'waiting') continue;
    return words.waiting(waitSentence(decision.reason, language, now));
  }
  return words.waitingSomehow;
}

function lastGoodBackup({ sets }: AppState): number | undefined {
  const ends = sets.flatMap(({ lastPoint }) => (lastPoint ? [lastPoint.at] : []));
  return ends.length === 0 ? undefined : Math.max(...ends);
}

/** `12 minutes ago`; milliseconds. */
export function agoWords(at: number, { strings, formats }: Language, now: number): string {
  return now - at < MINUTE ? strings.home.state.justNow : formats.ago(at, now);
}

/** Describes a need in one sentence. */
export function needSentence(need: Need, { home }: Strings): string {
  const words = home.needs;
  switch (need.kind) {
    case 'no-set':
      return words.noSet;
    case 'first-backup':
      return words.firstBackup(need.set, need.destination?.name);
    case 'failed':
      return words.failed(need.set, need.destination?.name);
    case 'no-backup-for':
      return words.noBackupFor(need.set, need.days, need.destination?.name);
    case 'warnings':
      return (need.isGeneral === true ? words.generalWarnings : words.warnings)(
        need.set,
        need.count,
        need.destination?.name,
      );
    case 'command-failed':
      return words.commandFailed(need.set);
    case 'folder-missing':
      return words.folders[need.problem](shortPath(need.folder, FOLDER_LENGTH), need.set);
    case 'destination-missing':
      return need.destination ? words.placeMissing(need.destination.name) : words.destinationMissing(need.location);
    case 'signed-out':
      return words.signedOut(need.destination?.name);
    case 'clock-wrong':
      return words.clockWrong;
    case 'phrase-unconfirmed':
      return words.phraseUnconfirmed;
    case 'verification-failed':
      return words.verificationFailed(need.set, need.destination?.name);
    case 'destination-damaged':
      return words.destinationDamaged(need.destination?.name);
    case 'points-unlisted':
      return words.pointsUnlisted(need.destination?.name);
    case 'content-missing':
      return need.points > 0
        ? words.pointsMissing(need.points, need.destination?.name)
        : words.contentMissing(need.files, need.destination?.name);
    case 'agent-restarted':
      return words.agentRestarted;
    case 'restore-unfinished':
      if (need.failure) return words.restoreUnfinished(need.set);
      return need.waitsFor === undefined
        ? words.restoreWaits(need.set)
        : words.restoreWaitsFor(need.set, need.waitsFor);
    case 'report-failed':
      return words.reportFailed;
    case 'suspicious-run':
      return need.set === undefined ? words.suspiciousRunElsewhere : words.suspiciousRun(need.set);
  }
}

/** Says what becomes of a folder that a backup did without. */
export function absentFolderHint({ problem }: Extract<Need, { kind: 'folder-missing' }>, { home }: Strings): string {
  return problem === 'other-disk' ? home.otherDiskHint : home.needHints['folder-missing'];
}
