import type { KeyboardEvent, ReactElement } from 'react';
import { FieldError, Input, Label, Text, TextField } from 'react-aria-components';

interface CheckedFieldProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly value: string;
  /** What is wrong with the value, said below it. */
  readonly error?: string | undefined;
  /** For patterns and rules. */
  readonly isCode?: boolean;
  readonly takesFocus?: boolean;
  readonly onChange: (value: string) => void;
  readonly onEnter?: () => void;
}

/** A line of text that is checked by who uses it. */
export function CheckedField(props: CheckedFieldProps): ReactElement {
  const { label, hint, value, error, isCode = false, takesFocus = false, onChange, onEnter } = props;
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !onEnter) return;
    event.preventDefault();
    onEnter();
  };
  return (
    <TextField
      className="ui-field"
      value={value}
      isInvalid={error !== undefined}
      autoFocus={takesFocus}
      onChange={onChange}
      onKeyDown={press}
    >
      <Label>{label}</Label>
      <Input className="ui-input" data-code={isCode ? true : undefined} spellCheck={false} />
      {hint !== undefined && (
        <Text slot="description" className="ui-hint">
          {hint}
        </Text>
      )}
      <FieldError className="ui-field-error">{error}</FieldError>
    </TextField>
  );
}
