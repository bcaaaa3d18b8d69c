import { Time } from '@internationalized/date';
import type { ReactElement } from 'react';
import { DateInput, DateSegment, FieldError, Label, TimeField } from 'react-aria-components';

interface TimeOfDayFieldProps {
  readonly label: string;
  /** Minutes after midnight. */
  readonly value: number;
  readonly error?: string | undefined;
  readonly onChange: (minutes: number) => void;
}

/** An hour and a minute, as the reader's region writes them. */
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
      <FieldError className="ui-field-error">{error}</FieldError>
    </TimeField>
  );
}
