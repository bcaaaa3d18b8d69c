import type { ReactElement } from 'react';

interface NativeSelectProps {
  readonly label: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** One of several choices, in the browser's own list: for pages that are also opened on phones. */
export function NativeSelect({ label, options, value, onChange }: NativeSelectProps): ReactElement {
  return (
    <label className="ui-field">
      <span className="ui-label">{label}</span>
      <select className="ui-input" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  );
}
