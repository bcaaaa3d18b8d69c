import type { ReactElement } from 'react';
import type { RunStep } from '../../../../ipc/contract/activity.ts';
import type { RunKind } from '../../../../ipc/state.ts';
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
  const isOfDestination = kind === 'check' || kind === 'repair';
  if (state === 'planning') return isOfDestination ? activity.check.reading : activity.planned;
  if (state === 'finishing' && isOfDestination) return activity.check.points;
  if (state === 'downloading') return kind === 'restore' ? activity.fetching : activity.checking;
  if (state === 'finishing') return activity.phases.finishing;
  return (activity.states as Readonly<Record<string, string>>)[state] ?? state;
}
