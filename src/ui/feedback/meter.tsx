import type { ReactElement } from 'react';
import { Label, Meter as AriaMeter } from 'react-aria-components';

/** How much of something is used up; `part` from 0 to 1, more where it is overdrawn. */
export function Meter({ label, part }: { readonly label: string; readonly part: number }): ReactElement {
  const percent = Math.min(100, Math.round(part * 100));
  return (
    <AriaMeter className="ui-meter" value={percent} data-tone={part >= 1 ? 'bad' : part >= 0.8 ? 'warning' : 'good'}>
      <Label className="ui-soft ui-small">{label}</Label>
      <div className="ui-meter-track">
        <div className="ui-meter-fill" style={{ width: `${percent}%` }} />
      </div>
    </AriaMeter>
  );
}
