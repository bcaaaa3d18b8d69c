import type { CalendarDate } from '@internationalized/date';
import type { ReactElement } from 'react';
import {
  Button,
  Calendar,
  CalendarCell,
  CalendarGrid,
  CalendarGridBody,
  CalendarGridHeader,
  CalendarHeaderCell,
  CalendarHeading,
} from 'react-aria-components';
import { Icon } from '../icon.tsx';

interface MarkedCalendarProps {
  readonly label: string;
  readonly previousLabel: string;
  readonly nextLabel: string;
  /** Days that can be chosen, `2026-11-21`. */
  readonly marked: ReadonlySet<string>;
  readonly value: CalendarDate;
  readonly onChange: (day: CalendarDate) => void;
}

/** A month of days, of which some stand out: only those can be chosen. */
export function MarkedCalendar(props: MarkedCalendarProps): ReactElement {
  const { label, previousLabel, nextLabel, marked, value, onChange } = props;
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
        <Button slot="previous" className="ui-button" data-kind="quiet" data-icon aria-label={previousLabel}>
          <Icon name="left" />
        </Button>
        <CalendarHeading className="ui-calendar-month" level={3} />
        <Button slot="next" className="ui-button" data-kind="quiet" data-icon aria-label={nextLabel}>
          <Icon name="right" />
        </Button>
      </div>
      <CalendarGrid className="ui-calendar-grid" weekdayStyle="short">
        <CalendarGridHeader>
          {(day) => <CalendarHeaderCell className="ui-calendar-weekday">{day}</CalendarHeaderCell>}
        </CalendarGridHeader>
        <CalendarGridBody>{(day) => <CalendarCell date={day} className="ui-calendar-day" />}</CalendarGridBody>
      </CalendarGrid>
    </Calendar>
  );
}
