import type { ReactElement } from 'react';
import { FieldError, Input, Label, Text, TextField as AriaTextField } from 'react-aria-components';

interface TextFieldProps {
  readonly label: string;
  readonly name: string;
  readonly type?: 'text' | 'email' | 'password' | 'url';
  readonly hint?: string;
  readonly value?: string;
  readonly defaultValue?: string;
  readonly isRequired?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly autoComplete?: string;
  readonly inputMode?: 'numeric' | 'text';
  /** Takes the focus when it appears: for a view that was asked for, and for one field of it only. */
  readonly takesFocus?: boolean;
  /** What is wrong with what was entered. */
  readonly error?: string;
  readonly isDisabled?: boolean;
  readonly onChange?: (value: string) => void;
}

export function TextField({ label, hint, takesFocus = false, error, ...rest }: TextFieldProps): ReactElement {
  return (
    <AriaTextField
      className="ui-field"
      autoFocus={takesFocus}
      {...(error === undefined ? {} : { isInvalid: true })}
      {...rest}
    >
      <Label>{label}</Label>
      <Input className="ui-input" />
      {hint !== undefined && (
        <Text slot="description" className="ui-hint">
          {hint}
        </Text>
      )}
      <FieldError className="ui-field-error">{error}</FieldError>
    </AriaTextField>
  );
}
