import type { ReactElement } from 'react';

interface NativeDateFieldProps {
  readonly label: string;
  /** `2026-01-31`; empty for none. */
  readonly value: string;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  readonly onChange: (value: string) => void;
}

/** A day, in the browser's own field: for pages that are also opened on phones. */
export function NativeDateField({ label, value, min, max, onChange }: NativeDateFieldProps): ReactElement {
  return (
    <label className="ui-field">
      <span className="ui-label">{label}</span>
      <input
        className="ui-input"
        type="date"
        value={value}
        min={min}
        max={max}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}
