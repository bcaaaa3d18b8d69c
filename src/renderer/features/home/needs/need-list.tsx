import { useState } from 'react';
import type { ReactElement } from 'react';
import type { View } from '../../../../ipc/contract/contract.ts';
import type { AppState, SetState } from '../../../../ipc/state.ts';
import type { Need } from '../../../../model/need.ts';
import type { Place } from '../../../../model/destination.ts';
import { isBackedUp, standingsOf } from '../../../../strings/destinations/standing.ts';
import { failureSentence, failureWords } from '../../../../strings/failure-sentence.ts';
import { absentFolderHint, needSentence } from '../../../../strings/state-sentence.ts';
import type { Language } from '../../../../strings/strings.ts';
import { call } from '../../../bridge/bridge.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { isDamage } from '../../../shared/damage.ts';
import { isHostKeyFailure } from '../../../shared/host-key-failure.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { openPart } from '../../settings/opened-part.ts';
import { CheckDialog } from '../../../shared/check-dialog.tsx';
import { openRun } from '../../../shared/opened-run.ts';
import { askAgain } from '../../restore/store/restore-store.ts';
import { RestartedNeed } from './restarted-need.tsx';
import { NeedWays, wayOf } from './need-ways.tsx';
import { SuspiciousNeed } from './suspicious-need.tsx';
import { isManual } from './is-manual.ts';
import './need-list.css';

interface NeedListProps {
  readonly state: AppState;
  readonly onView: (view: View) => void;
  readonly onPhrase: () => void;
}

/** The tasks for the person, each with a button. */
export function NeedList(props: NeedListProps): ReactElement | null {
  const { needs } = props.state;
  const title = useLanguage().strings.home.needsTitle;
  if (needs.length === 0) return null;
  return (
    <section className="home-needs" aria-label={title}>
      {needs.map((need, index) => {
        // Beside others, a card without its sentence would be about nothing.
        const isSaidAbove = needs.length === 1 && isSentence(props.state);
        const { onView } = props;
        switch (need.kind) {
          case 'suspicious-run':
            return <SuspiciousNeed key={keyOf(need)} need={need} isSaidAbove={isSaidAbove} onView={onView} />;
          case 'agent-restarted':
            return <RestartedNeed key={keyOf(need)} need={need} isSaidAbove={isSaidAbove} onView={onView} />;
          default:
            return (
              <NeedCard key={keyOf(need)} need={need} isFirst={index === 0} isSaidAbove={isSaidAbove} {...props} />
            );
        }
      })}
    </section>
  );
}

const BACKUPS: ReadonlySet<Need['kind']> = new Set(['first-backup', 'no-backup-for', 'failed', 'destination-missing']);

/** Returns whether a task has a button that starts a backup, so that the view needs no other. */
export function offersBackup({ needs }: AppState): boolean {
  return needs.some(({ kind }) => BACKUPS.has(kind));
}

/** Needs with a single button. */
type SimpleNeed = Exclude<Need, { kind: 'suspicious-run' | 'agent-restarted' }>;

interface NeedCardProps extends NeedListProps {
  readonly need: SimpleNeed;
  readonly isFirst: boolean;
  /** The headline of the view already contains it, so the heading is for screen readers only. */
  readonly isSaidAbove: boolean;
}

function NeedCard({ need, isFirst, isSaidAbove, state, onView, onPhrase }: NeedCardProps): ReactElement {
  const language = useLanguage();
  const action = useAction();
  const [isChecking, setChecking] = useState(false);
  const remedy = remedyOf(need, state, language);
  const act = (): void => {
    switch (remedy.kind) {
      case 'view':
        if ('run' in need) openRun(need.run);
        if (remedy.view === 'settings') openPart(need.kind === 'report-failed' ? 'general' : 'account');
        return onView(remedy.view);
      case 'check':
        return setChecking(true);
      case 'phrase':
        return onPhrase();
      case 'backup':
        return action.run(() => call('runs.backup', { set: remedy.set, destination: destinationOf(need)?.id }));
      case 'restore':
        return action.run(async (isShown) => {
          const { request, stopped } = await call('restore.waiting', {});
          if (!isShown()) return;
          const unfinished = need.kind === 'restore-unfinished' && need.failure ? stopped : request;
          if (unfinished) askAgain(unfinished);
          onView('restore');
        });
      case 'none':
    }
  };
  const tone = toneOf(need, state);
  const lastGood = lastGoodOf(need, state);
  const way = wayOf(need, state);
  const button =
    remedy.kind === 'none' ? undefined : (
      <Button kind={isFirst && tone !== 'plain' ? 'primary' : 'plain'} isPending={action.isPending} onPress={act}>
        {remedy.label}
      </Button>
    );
  return (
    <div className="home-need" data-tone={tone}>
      <Icon name={tone === 'plain' ? 'info' : 'attention'} />
      <div className="home-need-text">
        <h2 className={isSaidAbove ? 'ui-hidden' : undefined}>{needSentence(need, language.strings)}</h2>
        <p>{hintOf(need, state, language)}</p>
        {lastGood !== undefined && <p>{language.strings.home.lastGood(language.formats.when(lastGood))}</p>}
        {way && <NeedWays way={way} first={button} onView={onView} />}
        <FailureNotice failure={action.failure} />
      </div>
      {!way && button}
      {isChecking && (
        <CheckDialog
          destination={destinationOf(need)}
          onStarted={(run) => {
            openRun(run);
            onView('activity');
          }}
          onClose={() => setChecking(false)}
        />
      )}
    </div>
  );
}

/** A restore that continues by itself is no cause for concern, and a failure is a lesser one if another destination has the backup. */
function toneOf(need: SimpleNeed, state: AppState): 'plain' | 'warning' | 'bad' {
  if (need.kind === 'restore-unfinished' && !need.failure) return 'plain';
  if (need.kind === 'failed' && isElsewhere(state, need.at)) return 'warning';
  if (need.kind === 'no-set' && need.restorable !== 0) return 'plain';
  if (need.kind === 'no-backup-for' && need.destination) return 'warning';
  // Another destination has the backups.
  const isPartial = need.kind === 'first-backup' || need.kind === 'destination-missing';
  if (isPartial && need.destination) return 'plain';
  return TONES[need.kind];
}

/** Returns the end of the last good backup, for a need that there is none now: of its set and destination, as far as it names them. */
function lastGoodOf(need: SimpleNeed, { destinations }: AppState): number | undefined {
  if (need.kind !== 'failed' && need.kind !== 'destination-missing' && need.kind !== 'no-backup-for') return undefined;
  const at = destinations.filter(({ id }) => need.destination === undefined || id === need.destination.id);
  const sets = at.flatMap((destination) => destination.sets).filter(({ set }) => !('set' in need) || set === need.set);
  const ends = sets.flatMap(({ lastGoodAt }) => lastGoodAt ?? []);
  return ends.length === 0 ? undefined : Math.max(...ends);
}

function isElsewhere(state: AppState, now: number): boolean {
  return state.destinations.length > 1 && standingsOf(state, now).some(isBackedUp);
}

const TONES: Readonly<Record<SimpleNeed['kind'], 'plain' | 'warning' | 'bad'>> = {
  'no-set': 'warning',
  'first-backup': 'warning',
  failed: 'bad',
  'no-backup-for': 'bad',
  warnings: 'warning',
  'command-failed': 'warning',
  'folder-missing': 'warning',
  'destination-missing': 'warning',
  'signed-out': 'bad',
  'clock-wrong': 'warning',
  'phrase-unconfirmed': 'warning',
  'verification-failed': 'bad',
  'destination-damaged': 'bad',
  'points-unlisted': 'bad',
  'content-missing': 'warning',
  'restore-unfinished': 'warning',
  'report-failed': 'warning',
};

type Remedy =
  | { readonly kind: 'view'; readonly view: View; readonly label: string }
  | { readonly kind: 'backup'; readonly set: string; readonly label: string }
  | { readonly kind: 'check'; readonly label: string }
  | { readonly kind: 'phrase'; readonly label: string }
  | { readonly kind: 'restore'; readonly label: string }
  | { readonly kind: 'none' };

function remedyOf(need: SimpleNeed, state: AppState, { strings }: Language): Remedy {
  const { actions } = strings.home;
  const backup = (set: string, label: string): Remedy =>
    state.runs.length === 0 ? { kind: 'backup', set, label } : { kind: 'none' };
  switch (need.kind) {
    case 'no-set':
      return { kind: 'view', view: 'sets', label: actions.chooseFolders };
    case 'first-backup':
    case 'no-backup-for':
    case 'content-missing':
      return backup(need.set, strings.common.backUpNow);
    case 'failed':
      if (isHostKeyFailure(need.failure)) return { kind: 'view', view: 'settings', label: actions.compareHostKeys };
      return isDamage(need.failure) && canCheck(need, state)
        ? { kind: 'check', label: actions.checkDamage }
        : backup(need.set, strings.common.retry);
    case 'folder-missing':
      return { kind: 'none' };
    case 'destination-missing': {
      const [set] = state.sets;
      return set ? backup(set.name, actions.checkDestination) : { kind: 'none' };
    }
    case 'verification-failed':
      return canCheck(need, state)
        ? { kind: 'check', label: actions.checkDamage }
        : { kind: 'view', view: 'activity', label: actions.showActivity };
    case 'points-unlisted':
      return canCheck(need, state) ? { kind: 'check', label: actions.checkDamage } : { kind: 'none' };
    case 'destination-damaged':
      return { kind: 'view', view: 'activity', label: actions.repair };
    case 'warnings':
    case 'command-failed':
      return { kind: 'view', view: 'activity', label: actions.showActivity };
    case 'signed-out':
      return { kind: 'view', view: 'settings', label: actions.signIn };
    case 'clock-wrong': {
      const set = stoppedByClock(state);
      return set ? backup(set.name, strings.common.retry) : { kind: 'none' };
    }
    case 'report-failed':
      return { kind: 'view', view: 'settings', label: actions.showReport };
    case 'restore-unfinished':
      return { kind: 'restore', label: actions.restoreAgain };
    case 'phrase-unconfirmed':
      return { kind: 'phrase', label: actions.confirmPhrase };
  }
}

/** A service checks its store by itself. Another run would keep a check from starting. */
function canCheck(need: SimpleNeed, { destinations, runs }: AppState): boolean {
  const id = destinationOf(need)?.id ?? destinations[0]?.id;
  const destination = destinations.find((other) => other.id === id);
  return destination !== undefined && destination.kind !== 'service' && runs.length === 0;
}

function destinationOf(need: Need): Place | undefined {
  return 'destination' in need ? need.destination : undefined;
}

/** Returns a set whose newest backup failed because of the clock. */
function stoppedByClock({ sets }: AppState): SetState | undefined {
  return sets.find(({ lastBackup }) => lastBackup?.failure?.code === 'clock_wrong');
}

function hintOf(need: SimpleNeed, state: AppState, language: Language): string {
  if (need.kind === 'restore-unfinished' && need.failure) return failureSentence(need.failure, language);
  if (need.kind === 'failed' || need.kind === 'report-failed') return failureSentence(need.failure, language);
  if (need.kind === 'clock-wrong') {
    const { what, todo } = failureWords({ code: 'clock_wrong', details: { aheadMs: need.aheadMs } }, language);
    return `${what} ${stoppedByClock(state) ? todo : language.strings.home.clockGoesOn}`;
  }
  const { needHints, needHintsThere, noSchedule, generalWarningsHint } = language.strings.home;
  if (need.kind === 'warnings' && need.isGeneral === true) return generalWarningsHint;
  if (need.kind === 'no-backup-for' && isManual(need, state)) return noSchedule;
  if (need.kind === 'folder-missing') return absentFolderHint(need, language.strings);
  const isThereOnly = (need.kind === 'first-backup' || need.kind === 'signed-out') && need.destination !== undefined;
  return isThereOnly ? needHintsThere[need.kind] : needHints[need.kind];
}

/** Returns whether the headline of the view is about the first need. */
function isSentence({ health, damage, trouble }: AppState): boolean {
  return !damage && !trouble && (health === 'at-risk' || health === 'attention');
}

function keyOf(need: Need): string {
  const place = destinationOf(need)?.id ?? '';
  const folder = need.kind === 'folder-missing' ? need.folder : '';
  return 'set' in need ? `${need.kind} ${place} ${need.set} ${folder}` : `${need.kind} ${place}`;
}
