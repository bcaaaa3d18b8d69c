import type { ReactElement } from 'react';
import { Label, RadioButton, RadioField, RadioGroup } from 'react-aria-components';
import { Icon } from '../icon.tsx';
import type { IconName } from '../icon.tsx';

interface SegmentsProps<Value extends string> {
  readonly label: string;
  readonly isLabelHidden?: boolean;
  /** One with an icon shows that instead of its name. */
  readonly options: readonly { readonly value: Value; readonly label: string; readonly icon?: IconName }[];
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
            <RadioButton className="ui-segment">
              {option.icon === undefined ? (
                option.label
              ) : (
                <span className="ui-segment-icon" title={option.label}>
                  <Icon name={option.icon} />
                  <span className="ui-hidden">{option.label}</span>
                </span>
              )}
            </RadioButton>
          </RadioField>
        ))}
      </div>
    </RadioGroup>
  );
}
