import type { ReactElement, ReactNode } from 'react';
import type { ConfiguredDestination } from '../../../../ipc/state.ts';
import { decisionSentence } from '../../../../strings/decision-sentence.ts';
import { standingWords } from '../../../../strings/destinations/standing-words.ts';
import type { Standing } from '../../../../strings/destinations/standing.ts';
import { failureWords } from '../../../../strings/failure-sentence.ts';
import { agoWords } from '../../../../strings/state-sentence.ts';
import type { Language } from '../../../../strings/strings.ts';
import { Badge } from '../../../../ui/feedback/badge.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import type { IconName } from '../../../../ui/icon.tsx';
import type { Tone } from '../../../../ui/theme/tone.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import './destination-row.css';

const ICONS: Readonly<Record<ConfiguredDestination['kind'], IconName>> = {
  folder: 'disk',
  bucket: 'bucket',
  sftp: 'network',
  webdav: 'network',
  rclone: 'cloud',
  service: 'cloud',
};

interface DestinationRowProps {
  readonly standing: Standing;
  /** Another destination has the backups that this one lacks. */
  readonly isCovered: boolean;
  readonly now: number;
  /** Below the name. */
  readonly children?: ReactNode;
  /** At the end of the row. */
  readonly actions?: ReactNode;
}

/** The health of a destination: its state, its last and next backup, and its space. */
export function DestinationRow({ standing, isCovered, now, children, actions }: DestinationRowProps): ReactElement {
  const language = useLanguage();
  const { strings, formats } = language;
  const words = strings.destinations;
  const { destination, failure, condition } = standing;
  const { storedBytes } = destination.storage;
  const space = [
    ...(storedBytes === undefined ? [] : [words.stored(formats.bytes(storedBytes))]),
    ...(destination.freeBytes === undefined ? [] : [words.free(formats.bytes(destination.freeBytes))]),
  ];
  const times = timesOf(standing, language, now);
  return (
    <li className="dest-row">
      <Icon name={ICONS[destination.kind]} />
      <div className="dest-row-text">
        <div className="dest-row-head">
          <h3>{destination.name}</h3>
          <Badge tone={toneOf(standing, isCovered)}>{standingWords(standing, language)}</Badge>
        </div>
        {children}
        {times.length > 0 && <p className="ui-small ui-soft">{times.join(' · ')}</p>}
        {condition === 'failed' && failure && <p className="ui-small">{failureWords(failure, language).what}</p>}
      </div>
      {space.length > 0 && (
        <p className="dest-row-space ui-small ui-soft ui-number">
          {space.map((figure) => (
            <span key={figure}>{figure}</span>
          ))}
        </p>
      )}
      {actions}
    </li>
  );
}

function toneOf({ condition, copyAt }: Standing, isCovered: boolean): Tone {
  switch (condition) {
    case 'failed':
      return isCovered ? 'warning' : 'bad';
    case 'behind':
      return 'warning';
    case 'good':
      return copyAt === undefined ? 'plain' : 'good';
    case 'running':
    case 'absent':
    case 'interrupted':
      return 'plain';
  }
}

function timesOf(
  { destination, copyAt, backedUp, decision }: Standing,
  language: Language,
  now: number,
): readonly string[] {
  const words = language.strings.destinations;
  const isSaid =
    decision?.kind === 'running' || (decision?.kind === 'waiting' && decision.reason.kind === 'destination');
  return [
    ...(copyAt === undefined ? [] : [words.lastBackup(agoWords(copyAt, language, now))]),
    ...(copyAt === undefined && backedUp > 0 ? [words.copies.setsOf(backedUp, destination.sets.length)] : []),
    ...(decision === undefined || isSaid ? [] : [decisionSentence(decision, language, now)]),
  ];
}
