import { memo, useState } from 'react';
import type { CSSProperties, ReactElement } from 'react';
import { ListBox, ListBoxItem } from 'react-aria-components';
import type { DayState } from '../../../ipc/home-state.ts';
import type { Language } from '../../../strings/strings.ts';
import { Panel } from '../../../ui/layout/panel.tsx';
import { useLanguage } from '../../shared/use-language.ts';
import './day-strip.css';

/** A mark for each of the last days. Arrow keys and the pointer select a day, which is described below. */
export const DayStrip = memo(function DayStrip({ days }: { readonly days: readonly DayState[] }): ReactElement {
  const language = useLanguage();
  const words = language.strings.home.days;
  const [active, setActive] = useState<string>();
  const shown = days.find(({ date }) => date === active);
  const most = Math.max(0, ...days.map(({ bytes = 0 }) => bytes));
  const good = days.filter(({ outcome }) => outcome === 'succeeded' || outcome === 'warnings').length;
  return (
    <Panel title={words.title}>
      <ListBox
        className="home-days"
        aria-label={words.title}
        orientation="horizontal"
        layout="grid"
        selectionMode="none"
        onPointerLeave={() => setActive(undefined)}
        onBlur={() => setActive(undefined)}
      >
        {days.map((day) => (
          <ListBoxItem
            key={day.date}
            id={day.date}
            className="home-day"
            textValue={dayWords(day, language)}
            aria-label={dayWords(day, language)}
            data-outcome={day.outcome}
            onHoverStart={() => setActive(day.date)}
            onFocus={() => setActive(day.date)}
          >
            <span style={heightOf(day, most)} />
          </ListBoxItem>
        ))}
      </ListBox>
      <p className="home-day-words ui-small ui-soft" aria-hidden={shown ? true : undefined}>
        {shown ? dayWords(shown, language) : words.summary(good, days.length)}
      </p>
    </Panel>
  );
});

/** Percent of the height that the smallest backup still has. */
const LEAST = 25;

/** The height tells what a day stored, compared with the day that stored most. Roots keep a large first backup from hiding the others. */
function heightOf({ outcome, bytes = 0 }: DayState, most: number): CSSProperties | undefined {
  if (outcome === 'none' || most === 0) return undefined;
  return { blockSize: `${Math.round(LEAST + (100 - LEAST) * Math.sqrt(bytes / most))}%` };
}

function dayWords({ date, outcome, runs, bytes }: DayState, { strings, formats }: Language): string {
  const words = strings.home.days;
  // Noon in the local zone: the date alone means midnight UTC.
  const day = formats.dayName(`${date}T12:00:00`);
  if (outcome === 'none') return words.day(day, words.none);
  const what = words[outcome](runs);
  return words.day(day, bytes === undefined ? what : words.sent(what, formats.bytes(bytes)));
}
