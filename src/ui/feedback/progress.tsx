import type { ReactElement } from 'react';
import { Label, ProgressBar } from 'react-aria-components';
import type { Tone } from '../theme/tone.ts';

interface ProgressProps {
  readonly label: string;
  readonly isLabelHidden?: boolean;
  /** From 0 to 1; `undefined` while it is unknown. */
  readonly part: number | undefined;
  /** Shown at the end of the label and read out. */
  readonly valueLabel?: string | undefined;
  readonly tone?: Tone;
}

/** The progress of a running task. */
export function Progress({
  label,
  isLabelHidden = false,
  part,
  valueLabel,
  tone = 'good',
}: ProgressProps): ReactElement {
  const percent = part === undefined ? undefined : Math.max(0, Math.min(100, part * 100));
  return (
    <ProgressBar
      className="ui-progress"
      data-tone={tone}
      data-unknown={percent === undefined ? true : undefined}
      isIndeterminate={percent === undefined}
      {...(percent === undefined ? {} : { value: percent })}
      {...(valueLabel === undefined ? {} : { valueLabel })}
    >
      <div className={isLabelHidden ? 'ui-hidden' : 'ui-progress-head'}>
        <Label>{label}</Label>
        {valueLabel !== undefined && <span className="ui-number ui-soft">{valueLabel}</span>}
      </div>
      <div className="ui-progress-track">
        <div
          className="ui-progress-fill"
          style={percent === undefined ? {} : { transform: `translateX(${percent - 100}%)` }}
        />
      </div>
    </ProgressBar>
  );
}
