import { useRef } from 'react';
import type { ReactElement } from 'react';
import { scheduleProblem } from '../../../../model/schedule/problem.ts';
import { WEEKDAYS, WORKDAYS } from '../../../../model/schedule/schedule.ts';
import type { Schedule } from '../../../../model/schedule/schedule.ts';
import type { Language } from '../../../../strings/strings.ts';
import { CheckboxList } from '../../../../ui/choices/checkbox-list.tsx';
import { TextField } from '../../../../ui/fields/text-field.tsx';
import { NumberField } from '../../../../ui/fields/number-field.tsx';
import { Segments } from '../../../../ui/choices/segments.tsx';
import { Select } from '../../../../ui/choices/select.tsx';
import { TimeOfDayField } from '../../../../ui/fields/time-of-day-field.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { nextTimes } from '../draft/next-times.ts';
import { scheduleSentence, weekdayName } from '../draft/schedule-words.ts';
import './schedule-control.css';

/** Number of next times to show. */
const FORETOLD = 5;
const KINDS = ['every', 'daily', 'weekly', 'on-change', 'cron', 'manual'] as const;

const FIRST: { readonly [Kind in Schedule['kind']]: Extract<Schedule, { kind: Kind }> } = {
  every: { kind: 'every', minutes: 60 },
  daily: { kind: 'daily', at: 12 * 60 },
  weekly: { kind: 'weekly', days: WORKDAYS, at: 12 * 60 },
  'on-change': { kind: 'on-change', quietMinutes: 10 },
  cron: { kind: 'cron', expression: '0 12 * * 1-5' },
  manual: { kind: 'manual' },
};

interface ScheduleControlProps {
  readonly schedule: Schedule;
  readonly now: number;
  /** The next time that the agent has decided on, if the schedule is the saved one. */
  readonly first?: number | undefined;
  /** False if the choice to start backups only by hand is elsewhere. */
  readonly hasManual?: boolean;
  readonly onChange: (schedule: Schedule) => void;
}

/** Edits a schedule, with a sentence about it and its next times. */
export function ScheduleControl({
  schedule,
  now,
  first,
  hasManual = true,
  onChange,
}: ScheduleControlProps): ReactElement {
  const language = useLanguage();
  const words = language.strings.sets.when;
  // Switching between kinds keeps what was entered for each.
  const entered = useRef<Partial<Record<Schedule['kind'], Schedule>>>({});
  const problem = scheduleProblem(schedule);
  const times = nextTimes(schedule, now, FORETOLD, first);
  return (
    <div className="ui-stack">
      <div className="set-narrow">
        <Select
          label={words.kind}
          value={schedule.kind}
          options={KINDS.filter((kind) => hasManual || kind !== 'manual').map((value) => ({
            value,
            label: words.kinds[value],
          }))}
          onChange={(kind) => {
            entered.current = { ...entered.current, [schedule.kind]: schedule };
            onChange(entered.current[kind] ?? FIRST[kind]);
          }}
        />
      </div>
      <Details schedule={schedule} problem={problem} onChange={onChange} />
      <div className="ui-well set-explained" role="status" data-live-announcer>
        <p>
          <strong>
            {problem ? language.strings.sets.editor.problems[problem] : scheduleSentence(schedule, language)}
          </strong>
        </p>
        {times.length > 0 && (
          <p className="ui-soft ui-number">
            {words.next}: {timesInWords(times, now, language)}
          </p>
        )}
        {schedule.kind !== 'manual' && schedule.kind !== 'on-change' && <p className="ui-hint">{words.missed}</p>}
      </div>
    </div>
  );
}

/** Formats times, with the day only once for all times in it. */
function timesInWords(times: readonly number[], now: number, { formats }: Language): string {
  const isSameDay = (at: number, before: number | undefined): boolean =>
    before !== undefined && new Date(at).toDateString() === new Date(before).toDateString();
  return times
    .map((at, index) => (isSameDay(at, times[index - 1]) ? formats.clock(at) : formats.when(at, now)))
    .join(' · ');
}

interface DetailsProps {
  readonly schedule: Schedule;
  readonly problem: ReturnType<typeof scheduleProblem>;
  readonly onChange: (next: Schedule) => void;
}

function Details({ schedule, problem, onChange }: DetailsProps): ReactElement | null {
  const language = useLanguage();
  const { strings } = language;
  const words = strings.sets.when;
  switch (schedule.kind) {
    case 'manual':
      return null;
    case 'every':
      return <Interval minutes={schedule.minutes} onChange={(minutes) => onChange({ kind: 'every', minutes })} />;
    case 'daily':
      return <TimeOfDayField label={words.at} value={schedule.at} onChange={(at) => onChange({ ...schedule, at })} />;
    case 'weekly':
      return (
        <>
          <CheckboxList
            label={words.days}
            options={WEEKDAYS.map((day) => ({ value: day, label: weekdayName(day, language) }))}
            value={schedule.days}
            onChange={(days) => onChange({ ...schedule, days: WEEKDAYS.filter((day) => days.includes(day)) })}
          />
          <TimeOfDayField label={words.at} value={schedule.at} onChange={(at) => onChange({ ...schedule, at })} />
        </>
      );
    case 'cron':
      return (
        <TextField
          spellCheck="false"
          label={words.cron}
          hint={words.cronHint}
          value={schedule.expression}
          error={problem && strings.sets.editor.problems[problem]}
          isCode
          onChange={(expression) => onChange({ kind: 'cron', expression })}
        />
      );
    case 'on-change':
      return (
        <NumberField
          label={words.quiet}
          hint={words.quietHint}
          unit={words.minutes}
          value={schedule.quietMinutes}
          minimum={1}
          maximum={24 * 60}
          onChange={(minutes) => onChange({ kind: 'on-change', quietMinutes: minutes ?? 10 })}
        />
      );
  }
}

interface IntervalProps {
  readonly minutes: number;
  readonly onChange: (minutes: number) => void;
}

function Interval({ minutes, onChange }: IntervalProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.sets.when;
  const isHours = minutes % 60 === 0 && minutes > 0;
  const factor = isHours ? 60 : 1;
  return (
    <div className="set-interval">
      <NumberField
        label={words.interval}
        value={minutes / factor}
        minimum={isHours ? 1 : 5}
        maximum={isHours ? 24 : 24 * 60}
        onChange={(count) => onChange((count ?? 0) * factor)}
      />
      <Segments
        label={words.unit}
        isLabelHidden
        value={isHours ? 'hours' : 'minutes'}
        options={[
          { value: 'minutes', label: words.minutes },
          { value: 'hours', label: words.hours },
        ]}
        onChange={(unit) => {
          if (unit === 'hours' && !isHours) onChange(60);
          if (unit === 'minutes' && isHours) onChange(30);
        }}
      />
    </div>
  );
}
