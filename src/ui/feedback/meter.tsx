import type { ReactElement } from 'react';
import { Label, Meter as AriaMeter } from 'react-aria-components';

/** Shows how much of a quota is used. `part` is from 0 to 1, or more if the quota is exceeded. */
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
