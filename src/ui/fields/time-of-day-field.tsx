import { Time } from '@internationalized/date';
import type { ReactElement } from 'react';
import { DateInput, DateSegment, Label, TimeField } from 'react-aria-components';
import { FieldHelp } from './field-help.tsx';

interface TimeOfDayFieldProps {
  readonly label: string;
  /** Minutes after midnight. */
  readonly value: number;
  readonly error?: string | undefined;
  readonly onChange: (minutes: number) => void;
}

/** An hour and a minute, in the format of the person's region. */
export function TimeOfDayField({ label, value, error, onChange }: TimeOfDayFieldProps): ReactElement {
  return (
    <TimeField
      className="ui-field"
      value={new Time(Math.floor(value / 60), value % 60)}
      isInvalid={error !== undefined}
      shouldForceLeadingZeros
      onChange={(time) => {
        if (time) onChange(time.hour * 60 + time.minute);
      }}
    >
      <Label className="ui-label">{label}</Label>
      <DateInput className="ui-input ui-time">
        {(segment) => <DateSegment segment={segment} className="ui-time-part" />}
      </DateInput>
      <FieldHelp error={error} />
    </TimeField>
  );
}
