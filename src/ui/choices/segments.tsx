import type { ReactElement } from 'react';
import { Label, RadioButton, RadioField, RadioGroup } from 'react-aria-components';

interface SegmentsProps<Value extends string> {
  readonly label: string;
  readonly isLabelHidden?: boolean;
  readonly options: readonly { readonly value: Value; readonly label: string }[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** A choice of one of two to four options with short names, side by side. */
export function Segments<Value extends string>(props: SegmentsProps<Value>): ReactElement {
  const { label, isLabelHidden = false, options, value, onChange } = props;
  return (
    <RadioGroup
      className="ui-field"
      orientation="horizontal"
      value={value}
      onChange={(chosen) => onChange(chosen as Value)}
    >
      <Label className={isLabelHidden ? 'ui-hidden' : 'ui-label'}>{label}</Label>
      <div className="ui-segments">
        {options.map((option) => (
          <RadioField key={option.value} value={option.value}>
            <RadioButton className="ui-segment">{option.label}</RadioButton>
          </RadioField>
        ))}
      </div>
    </RadioGroup>
  );
}
