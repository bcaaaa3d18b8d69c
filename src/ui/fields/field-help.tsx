import type { ReactElement } from 'react';
import { FieldError, Text } from 'react-aria-components';
import { useUiTexts } from '../texts.ts';
import type { UiTexts } from '../texts.ts';

interface FieldHelpProps {
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
  /** What the browser demands of the value. */
  readonly demands?: Demands;
}

interface Demands {
  readonly type?: string | undefined;
  readonly minLength?: number | undefined;
}

/** Hint and error below the input of a field. They are read out with the field. */
export function FieldHelp({ hint, error, demands }: FieldHelpProps): ReactElement {
  const { invalid } = useUiTexts();
  return (
    <>
      {hint !== undefined && (
        <Text slot="description" className="ui-hint">
          {hint}
        </Text>
      )}
      <FieldError className="ui-field-error">
        {({ validationDetails, defaultChildren }) =>
          error ?? (defaultChildren === undefined ? undefined : sentenceOf(validationDetails, demands ?? {}, invalid))
        }
      </FieldError>
    </>
  );
}

/** The browser's own sentence is in the language of the browser, and says less. */
function sentenceOf(
  { valueMissing, typeMismatch, tooShort }: ValidityState,
  { type, minLength }: Demands,
  texts: UiTexts['invalid'],
): string {
  if (valueMissing) return texts.missing;
  if (tooShort && minLength !== undefined) return texts.short(minLength);
  if (typeMismatch && type === 'email') return texts.email;
  return typeMismatch && type === 'url' ? texts.url : texts.other;
}
