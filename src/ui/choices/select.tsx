import type { ReactElement } from 'react';
import {
  Button,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select as AriaSelect,
  SelectValue,
  Text,
} from 'react-aria-components';
import { Icon } from '../icon.tsx';

export interface Option<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
}

interface SelectProps<Value extends string> {
  readonly label: string;
  /** Hides the label, for a select whose surroundings show it. */
  readonly isLabelHidden?: boolean;
  readonly hint?: string;
  readonly options: readonly Option<Value>[];
  readonly value: Value;
  readonly isDisabled?: boolean;
  readonly onChange: (value: Value) => void;
}

/** A choice of one of several options, in a list that opens. */
export function Select<Value extends string>(props: SelectProps<Value>): ReactElement {
  const { label, isLabelHidden = false, hint, options, value, isDisabled = false, onChange } = props;
  const chosen = options.find((option) => option.value === value)?.label ?? '';
  return (
    <AriaSelect
      className="ui-field"
      value={value}
      isDisabled={isDisabled}
      onChange={(key) => {
        if (key !== null) onChange(key as Value);
      }}
    >
      <Label className={isLabelHidden ? 'ui-hidden' : 'ui-label'}>{label}</Label>
      {/* By `aria-labelledby`, as by default, Orca reads the label before the name that already contains it. */}
      {/* oxlint-disable-next-line jsx-a11y/aria-proptypes -- without it, react-aria sets its own */}
      <Button className="ui-select" aria-label={`${label} ${chosen}`} aria-labelledby="">
        <SelectValue className="ui-select-value">
          {({ selectedText }) => <span title={selectedText}>{selectedText}</span>}
        </SelectValue>
        <Icon name="down" />
      </Button>
      {hint !== undefined && (
        <Text slot="description" className="ui-hint">
          {hint}
        </Text>
      )}
      <Popover className="ui-popover" offset={4}>
        <ListBox className="ui-options">
          {options.map((option) => (
            <ListBoxItem key={option.value} id={option.value} className="ui-option" textValue={option.label}>
              <span className="ui-option-mark">
                <Icon name="check" />
              </span>
              <span className="ui-option-text">
                <Text slot="label">{option.label}</Text>
                {option.hint !== undefined && (
                  <Text slot="description" className="ui-hint">
                    {option.hint}
                  </Text>
                )}
              </span>
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
