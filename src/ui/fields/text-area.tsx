import type { ReactElement } from 'react';
import { Label, TextArea as AriaTextArea, TextField } from 'react-aria-components';
import { FieldHelp } from './field-help.tsx';

interface TextAreaProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: string | undefined;
  readonly value: string;
  readonly rows?: number;
  /** Why the value is wrong. */
  readonly error?: string | undefined;
  readonly onChange: (value: string) => void;
}

/** Several lines of text that the browser neither corrects nor remembers. */
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
      <FieldHelp hint={hint} error={error} />
    </TextField>
  );
}
