import type { CalendarDate } from '@internationalized/date';
import type { ReactElement } from 'react';
import {
  Calendar,
  CalendarCell,
  CalendarGrid,
  CalendarGridBody,
  CalendarGridHeader,
  CalendarHeaderCell,
  CalendarHeading,
  useLocale,
} from 'react-aria-components';
import { IconButton } from '../buttons/icon-button.tsx';

interface MarkedCalendarProps {
  readonly label: string;
  readonly previousLabel: string;
  readonly nextLabel: string;
  /** Days that can be chosen, such as `2026-11-21`. */
  readonly marked: ReadonlySet<string>;
  readonly value: CalendarDate;
  readonly onChange: (day: CalendarDate) => void;
}

/** A month in which only the marked days can be chosen. */
export function MarkedCalendar(props: MarkedCalendarProps): ReactElement {
  const { label, previousLabel, nextLabel, marked, value, onChange } = props;
  // The short names of days are whole words in Arabic.
  const isLong = useLocale().locale.startsWith('ar');
  return (
    <Calendar
      className="ui-calendar"
      aria-label={label}
      value={value}
      onChange={(day) => {
        if (day) onChange(day);
      }}
      isDateUnavailable={(day) => !marked.has(day.toString())}
    >
      <div className="ui-calendar-head">
        <IconButton slot="previous" icon="left" label={previousLabel} />
        <CalendarHeading className="ui-calendar-month" level={3} />
        <IconButton slot="next" icon="right" label={nextLabel} />
      </div>
      <CalendarGrid className="ui-calendar-grid" weekdayStyle={isLong ? 'narrow' : 'short'}>
        <CalendarGridHeader>
          {(day) => <CalendarHeaderCell className="ui-calendar-weekday">{day}</CalendarHeaderCell>}
        </CalendarGridHeader>
        <CalendarGridBody>{(day) => <CalendarCell date={day} className="ui-calendar-day" />}</CalendarGridBody>
      </CalendarGrid>
    </Calendar>
  );
}
