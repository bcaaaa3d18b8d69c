import type { ReactElement } from 'react';
import { FieldError, Label, Text, TextArea as AriaTextArea, TextField } from 'react-aria-components';

interface TextAreaProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: string;
  readonly value: string;
  readonly rows?: number;
  /** What is wrong with what was entered. */
  readonly error?: string;
  readonly onChange: (value: string) => void;
}

/** Words over several lines. Nothing in it is corrected or remembered by the browser. */
export function TextArea({ label, hint, rows = 3, error, ...rest }: TextAreaProps): ReactElement {
  return (
    <TextField
      className="ui-field"
      autoComplete="off"
      spellCheck="false"
      {...(error === undefined ? {} : { isInvalid: true })}
      {...rest}
    >
      <Label>{label}</Label>
      <AriaTextArea className="ui-input ui-area" rows={rows} />
      {hint !== undefined && (
        <Text slot="description" className="ui-hint">
          {hint}
        </Text>
      )}
      <FieldError className="ui-field-error">{error}</FieldError>
    </TextField>
  );
}
