import type { ReactElement } from 'react';
import { FieldError, Text } from 'react-aria-components';

interface FieldHelpProps {
  readonly hint?: string | undefined;
  readonly error?: string | undefined;
}

/** Hint and error below the input of a field. They are read out with the field. */
export function FieldHelp({ hint, error }: FieldHelpProps): ReactElement {
  return (
    <>
      {hint !== undefined && (
        <Text slot="description" className="ui-hint">
          {hint}
        </Text>
      )}
      <FieldError className="ui-field-error">{error}</FieldError>
    </>
  );
}
