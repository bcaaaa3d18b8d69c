import type { ReactElement } from 'react';
import type { ActiveRun } from '../../../../model/run.ts';
import type { Language } from '../../../../strings/strings.ts';
import { shortPath } from '../../../../strings/short-path.ts';
import { isResumedRestore, partDone, runSubject } from '../../../../strings/state-sentence.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Progress } from '../../../../ui/feedback/progress.tsx';
import { PathText } from '../../../shared/path-text.tsx';
import { readablePath } from '../../../shared/readable-path.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { runTitle } from '../run-title.ts';
import { StopRun } from './stop-run.tsx';
import './active-run-card.css';

interface ActiveRunCardProps {
  readonly run: ActiveRun;
  /** `undefined` if the details are open already. */
  readonly onOpen?: () => void;
}

/** A running run: its progress, and a button that stops it. */
export function ActiveRunCard({ run, onOpen }: ActiveRunCardProps): ReactElement {
  const language = useLanguage();
  const words = language.strings.activity;
  const title = runTitle({ kind: run.kind, set: runSubject(run) }, language.strings);
  const part = partDone(run);
  return (
    <div className="ui-surface act-card">
      <div className="act-card-head">
        <div className="act-card-text">
          {onOpen ? <h3>{title}</h3> : null}
          <p className="ui-soft">{phaseText(run, language)}</p>
        </div>
        <div className="ui-row">
          {onOpen && (
            <Button kind="quiet" label={words.detailsOf(title)} onPress={onOpen}>
              {words.details}
            </Button>
          )}
          <StopRun run={run} />
        </div>
      </div>
      <Progress
        label={words.progress(title)}
        isLabelHidden
        part={part}
        valueLabel={part === undefined ? phaseText(run, language) : language.formats.percent(part)}
      />
      <p className="act-facts ui-small ui-number">{factsOf(run, language).join(' · ')}</p>
      <p
        className="ui-ellipsis act-path ui-path ui-small ui-soft"
        title={run.currentPath === undefined ? undefined : readablePath(run.currentPath)}
      >
        {run.currentPath === undefined ? (
          ' '
        ) : (
          <PathText path={run.currentPath} text={shortPath(readablePath(run.currentPath), 72)} />
        )}
      </p>
      {isResumedRestore(run) && <p className="ui-hint">{language.strings.home.run.restoreResumed}</p>}
      {run.lowPriority !== undefined && <p className="ui-hint">{slowText(run.lowPriority, language)}</p>}
    </div>
  );
}

function phaseText({ kind, phase, waiting }: ActiveRun, { strings }: Language): string {
  const words = strings.activity;
  if (waiting !== undefined) return (words.waiting as Readonly<Record<string, string>>)[waiting] ?? words.waitingOther;
  if (kind === 'check' || kind === 'repair') return checkPhase(phase, words);
  if (kind === 'copy' && phase === 'planning') return words.comparing;
  if (kind === 'copy' && phase === 'downloading') return words.copying;
  if (kind === 'undo' && phase === 'planning') return words.undoing;
  if (kind === 'export' && phase === 'downloading') return words.archiving;
  if (kind !== 'restore' && phase === 'planning') return words.check.reading;
  return kind === 'verify' && phase === 'downloading' ? words.checking : words.phases[phase];
}

/** The phases of a check or a repair of the destination. */
function checkPhase(phase: ActiveRun['phase'], words: Language['strings']['activity']): string {
  if (phase === 'planning') return words.check.reading;
  if (phase === 'finishing') return words.check.points;
  return phase === 'downloading' ? words.checking : words.phases[phase];
}

function slowText(reason: string, { strings }: Language): string {
  const { slow } = strings.activity;
  return (slow as Readonly<Record<string, string>>)[reason] ?? slow.asked;
}

function factsOf(run: ActiveRun, { strings, formats }: Language): readonly string[] {
  const { filesDone, filesTotal, bytesDone, bytesTotal, bytesPerSecond, etaSeconds, scan } = run;
  const { ofAbout } = strings.home.run;
  const words = strings.activity;
  return [
    ...(scan
      ? [
          scan.bytes > scan.bytesExpected
            ? formats.bytes(scan.bytes)
            : ofAbout(formats.bytes(scan.bytes), formats.bytes(scan.bytesExpected)),
        ]
      : []),
    ...(bytesTotal === undefined ? [] : [words.doneOf(formats.bytes(bytesDone), formats.bytes(bytesTotal))]),
    filesTotal === undefined || filesTotal === filesDone
      ? words.files(filesDone)
      : words.filesOf(formats.number(filesDone), filesTotal),
    ...(bytesPerSecond === undefined ? [] : [formats.speed(bytesPerSecond)]),
    ...(etaSeconds === undefined ? [] : [words.left(formats.remaining(etaSeconds))]),
  ];
}
