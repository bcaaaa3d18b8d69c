import type { ReactElement } from 'react';
import { TextField } from '../../ui/fields/text-field.tsx';
import { useLanguage } from '../strings/language.ts';

/** Six digits of an authenticator app. */
export function CodeField({ takesFocus = false, hint }: { takesFocus?: boolean; hint?: string }): ReactElement {
  const { strings } = useLanguage();
  return (
    <TextField
      key="app"
      label={strings.common.code}
      hint={hint ?? strings.common.codeHint}
      name="code"
      inputMode="numeric"
      autoComplete="one-time-code"
      maxLength={9}
      takesFocus={takesFocus}
      isRequired
    />
  );
}
