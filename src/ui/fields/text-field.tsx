import type { KeyboardEvent, ReactElement } from 'react';
import { Input, Label, TextField as AriaTextField } from 'react-aria-components';
import { FieldHelp } from './field-help.tsx';
import { useSteadyErrors } from './use-steady-errors.ts';

interface TextFieldProps {
  readonly label: string;
  readonly name?: string;
  readonly type?: 'text' | 'email' | 'password' | 'url';
  readonly hint?: string | undefined;
  readonly value?: string;
  readonly defaultValue?: string;
  readonly isRequired?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly autoComplete?: string;
  readonly inputMode?: 'numeric' | 'text';
  /** Takes the focus when it appears: for at most one field of a view that was asked for. */
  readonly takesFocus?: boolean;
  /** Why the value is wrong. */
  readonly error?: string | undefined;
  readonly isDisabled?: boolean;
  /** Uses a monospaced font, for patterns and rules. */
  readonly isCode?: boolean;
  readonly spellCheck?: 'false';
  readonly onChange?: (value: string) => void;
  /** Takes the place of submitting the form. */
  readonly onEnter?: () => void;
}

/** One line of text. */
export function TextField(props: TextFieldProps): ReactElement {
  const { label, hint, takesFocus = false, error, isCode = false, onEnter, ...rest } = props;
  const press = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    onEnter?.();
  };
  const box = useSteadyErrors();
  return (
    <AriaTextField
      ref={box}
      className="ui-field"
      autoFocus={takesFocus}
      // A handler of react-aria's keeps the event from reaching the keys of the page.
      {...(onEnter ? { onKeyDown: press } : {})}
      {...(error === undefined ? {} : { isInvalid: true })}
      {...rest}
    >
      <Label>{label}</Label>
      <Input className="ui-input" data-code={isCode ? true : undefined} />
      <FieldHelp hint={hint} error={error} demands={rest} />
    </AriaTextField>
  );
}
