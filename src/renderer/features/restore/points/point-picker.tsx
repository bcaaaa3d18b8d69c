import { CalendarDate, getLocalTimeZone, parseDate } from '@internationalized/date';
import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import {
  Button as AriaButton,
  Dialog,
  DialogTrigger,
  Header,
  ListBox,
  ListBoxItem,
  ListBoxSection,
  Popover,
} from 'react-aria-components';
import type { RestorePoint } from '../../../../model/restore-point.ts';
import { IconButton } from '../../../../ui/buttons/icon-button.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { MarkedCalendar } from '../../../../ui/fields/marked-calendar.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { choosePoint } from '../store/restore-store.ts';
import { clocksOf, whenOf } from './point-times.ts';
import './point-picker.css';

/** Rows of the list. The calendar leads to earlier ones. */
const LISTED = 60;

interface PointPickerProps {
  /** Newest first; not empty. */
  readonly points: readonly RestorePoint[];
  readonly point: RestorePoint;
}

interface PickerProps extends PointPickerProps {
  /** The next ones in which the open folder is another. */
  readonly older: RestorePoint | undefined;
  readonly newer: RestorePoint | undefined;
}

/** Selects a restore point: the next older or newer one, or any by calendar and list. */
export function PointPicker({ points, point, older, newer }: PickerProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.restore.time;
  const at = points.indexOf(point);
  const when = whenOf(points, point, formats);
  const step = (to: RestorePoint | undefined): void => {
    if (to) choosePoint(to.restorePoint);
  };
  return (
    <div className="restore-time">
      <IconButton icon="left" label={words.older} isDisabled={!older} onPress={() => step(older)} />
      <DialogTrigger>
        <AriaButton className="ui-button restore-when" data-kind="plain">
          <span className="ui-hidden">{words.label}: </span>
          <Icon name={point.isPinned === true ? 'pin' : 'clock'} />
          <span className="ui-ellipsis restore-when-text">{when}</span>
          {at === 0 && <span className="ui-soft restore-newest">{words.newest}</span>}
          <Icon name="down" />
        </AriaButton>
        <Popover className="ui-popover restore-times" offset={6} placement="bottom end">
          <Dialog className="restore-times-dialog" aria-label={words.label}>
            {({ close }) => (
              <Times
                points={points}
                point={point}
                onChoose={(restorePoint) => {
                  choosePoint(restorePoint);
                  close();
                }}
              />
            )}
          </Dialog>
        </Popover>
      </DialogTrigger>
      <IconButton icon="right" label={words.newer} isDisabled={!newer} onPress={() => step(newer)} />
    </div>
  );
}

interface TimesProps extends PointPickerProps {
  readonly onChoose: (restorePoint: string) => void;
}

function Times({ points, point, onChoose }: TimesProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.restore.time;
  const marked = useMemo(() => new Set(points.map((one) => dayOf(one).toString())), [points]);
  const [until, setUntil] = useState(() => dayOf(point));
  const end = until.add({ days: 1 }).toDate(getLocalTimeZone()).getTime();
  const clocks = useMemo(() => clocksOf(points, formats), [points, formats]);
  const before = points.filter((one) => Date.parse(one.madeAt) < end);
  return (
    <>
      <div className="restore-calendar">
        <MarkedCalendar
          label={words.calendar}
          previousLabel={words.previousMonth}
          nextLabel={words.nextMonth}
          marked={marked}
          value={until}
          onChange={(day) => setUntil(parseDate(day.toString()))}
        />
        <p className="ui-hint">{words.marked}</p>
      </div>
      <div className="restore-points">
        <ListBox
          key={until.toString()}
          className="restore-points-list"
          aria-label={words.list}
          selectionMode="single"
          disallowEmptySelection
          selectedKeys={[point.restorePoint]}
          onSelectionChange={(keys) => {
            const [key] = keys === 'all' ? [] : [...keys];
            if (key !== undefined) onChoose(String(key));
          }}
        >
          {[...Map.groupBy(before.slice(0, LISTED), (one) => dayOf(one).toString())].map(([day, ofDay]) => (
            <ListBoxSection key={day} id={day}>
              <Header className="restore-points-day">{formats.dayName(ofDay[0]!.madeAt)}</Header>
              {ofDay.map((one) => (
                <ListBoxItem
                  key={one.restorePoint}
                  id={one.restorePoint}
                  className="restore-point"
                  textValue={clocks.get(one)!}
                >
                  <span>{clocks.get(one)}</span>{' '}
                  {one.files !== undefined && one.bytes !== undefined && (
                    <span className="ui-hint restore-point-size">
                      {words.summary(strings.restore.files(one.files), formats.bytes(one.bytes))}
                    </span>
                  )}
                  {one.isPinned === true && (
                    <span className="restore-pin" title={words.pinned}>
                      <Icon name="pin" />
                      <span className="ui-hidden">{words.pinned}</span>
                    </span>
                  )}
                </ListBoxItem>
              ))}
            </ListBoxSection>
          ))}
        </ListBox>
        {before.length > LISTED && <p className="ui-hint">{words.earlier(before.length - LISTED)}</p>}
      </div>
    </>
  );
}

/** Returns the day in the local time zone. */
function dayOf(point: RestorePoint): CalendarDate {
  const date = new Date(point.madeAt);
  return new CalendarDate(date.getFullYear(), date.getMonth() + 1, date.getDate());
}
