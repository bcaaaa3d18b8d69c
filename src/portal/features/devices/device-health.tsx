import { useState } from 'react';
import type { ReactElement } from 'react';
import type { PortalDeviceDay } from '../../../protocol/portal/portal-devices.ts';
import { useLanguage } from '../../strings/language.ts';
import { dayState, shownDays } from './health-days.ts';

const LEGEND = ['completed', 'both', 'failed', 'none'] as const;

/** What ended on each of the last days. */
export function DeviceHealth({ days }: { readonly days: readonly PortalDeviceDay[] }): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.device;
  const [shown] = useState(() => shownDays(Date.now()));
  const known = new Map(days.map((day) => [day.day, day]));
  const good = days.filter(({ completed }) => completed > 0).length;
  const bad = days.filter(({ failed }) => failed > 0).length;
  return (
    <div className="ui-stack-tight">
      <div className="portal-health" role="img" aria-label={words.healthLabel(good, bad)}>
        {shown.map((day) => {
          const state = dayState(known.get(day));
          return (
            <span
              key={day}
              data-state={state}
              title={words.dayLabel(formats.day(`${day}T12:00:00Z`), words.days[state])}
            />
          );
        })}
      </div>
      <ul className="portal-legend">
        {LEGEND.map((state) => (
          <li key={state}>
            <span className="portal-health" aria-hidden="true">
              <span data-state={state} />
            </span>
            {words.days[state]}
          </li>
        ))}
      </ul>
    </div>
  );
}
