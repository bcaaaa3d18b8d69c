import type { ReactElement } from 'react';
import { Button, FieldError, Group, Input, Label, NumberField as AriaNumberField, Text } from 'react-aria-components';
import { Icon } from '../icon.tsx';

interface NumberFieldProps {
  readonly label: string;
  readonly isLabelHidden?: boolean;
  readonly hint?: string;
  /** After the number: `days`, `KiB/s`. */
  readonly unit?: string;
  /** Nothing where it is left empty. */
  readonly value: number | undefined;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly step?: number;
  readonly isRequired?: boolean;
  readonly isDisabled?: boolean;
  /** Why the agent did not take it. */
  readonly error?: string;
  readonly onChange: (value: number | undefined) => void;
}

/** A whole number, by typing, arrow keys or its two buttons. */
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
      {hint !== undefined && (
        <Text slot="description" className="ui-hint">
          {hint}
        </Text>
      )}
      <FieldError className="ui-field-error">{error}</FieldError>
    </AriaNumberField>
  );
}
