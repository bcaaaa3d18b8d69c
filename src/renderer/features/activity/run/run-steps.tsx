import type { ReactElement } from 'react';
import type { RunStep } from '../../../../ipc/contract/activity.ts';
import type { RunKind } from '../../../../model/run.ts';
import type { Strings } from '../../../../strings/compiled/en.ts';
import { Panel } from '../../../../ui/layout/panel.tsx';
import { useLanguage } from '../../../shared/use-language.ts';

interface RunStepsProps {
  readonly kind: RunKind;
  readonly steps: readonly RunStep[];
}

/** The steps of a run with their times. */
export function RunSteps({ kind, steps }: RunStepsProps): ReactElement {
  const { strings, formats } = useLanguage();
  return (
    <Panel title={strings.activity.steps}>
      <ol className="ui-stack-tight act-steps">
        {steps.map((step) => (
          <li key={`${step.at} ${step.state}`}>
            <time className="ui-soft ui-number" dateTime={new Date(step.at).toISOString()}>
              {formats.clockSeconds(step.at)}
            </time>
            <span>{stepText(kind, step, strings)}</span>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

function stepText(kind: RunKind, { state, reason }: RunStep, { activity }: Strings): string {
  const waiting = (activity.waiting as Readonly<Record<string, string>>)[reason ?? ''];
  if (state === 'waiting' && waiting !== undefined) return waiting;
  if (kind === 'copy' && state === 'planning') return activity.comparing;
  if (kind === 'copy' && state === 'downloading') return activity.copying;
  if (kind === 'undo' && state === 'planning') return activity.undoing;
  if (kind === 'export' && state === 'downloading') return activity.archiving;
  if (kind === 'mount' && state === 'downloading') return activity.mounted;
  // Only a restore writes where files are.
  if (state === 'planning') return kind === 'restore' ? activity.planned : activity.check.reading;
  if (state === 'finishing' && (kind === 'check' || kind === 'repair')) return activity.check.points;
  if (state === 'downloading') return kind === 'restore' ? activity.fetching : activity.checking;
  if (state === 'finishing') return activity.phases.finishing;
  return (activity.states as Readonly<Record<string, string>>)[state] ?? state;
}
