import type { ReactElement } from 'react';
import { Button, Group, Input, Label, NumberField as AriaNumberField } from 'react-aria-components';
import { Icon } from '../icon.tsx';
import { FieldHelp } from './field-help.tsx';

interface NumberFieldProps {
  readonly label: string;
  readonly isLabelHidden?: boolean;
  readonly hint?: string | undefined;
  /** After the number: `days`, `KiB/s`. */
  readonly unit?: string;
  /** `undefined` while the field is empty. */
  readonly value: number | undefined;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly step?: number;
  readonly isRequired?: boolean;
  readonly isDisabled?: boolean;
  /** Why the value is wrong. */
  readonly error?: string | undefined;
  readonly onChange: (value: number | undefined) => void;
}

/** A whole number, entered by typing, arrow keys or two buttons. */
export function NumberField(props: NumberFieldProps): ReactElement {
  const {
    label,
    isLabelHidden = false,
    hint,
    unit,
    value,
    minimum,
    maximum,
    step = 1,
    error,
    onChange,
    ...rest
  } = props;
  return (
    <AriaNumberField
      className="ui-field"
      value={value ?? Number.NaN}
      step={step}
      isInvalid={error !== undefined}
      onChange={(next) => onChange(Number.isNaN(next) ? undefined : next)}
      {...(minimum === undefined ? {} : { minValue: minimum })}
      {...(maximum === undefined ? {} : { maxValue: maximum })}
      {...rest}
    >
      <Label className={isLabelHidden ? 'ui-hidden' : 'ui-label'}>
        {label}
        {unit !== undefined && <span className="ui-hidden"> ({unit})</span>}
      </Label>
      <div className="ui-number-line">
        <Group className="ui-number-field">
          <Button slot="decrement" className="ui-stepper">
            <Icon name="minus" />
          </Button>
          <Input className="ui-number-input" />
          <Button slot="increment" className="ui-stepper">
            <Icon name="plus" />
          </Button>
        </Group>
        {unit !== undefined && (
          <span className="ui-soft" aria-hidden>
            {unit}
          </span>
        )}
      </div>
      <FieldHelp hint={hint} error={error} />
    </AriaNumberField>
  );
}
