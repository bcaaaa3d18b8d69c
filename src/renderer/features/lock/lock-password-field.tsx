import type { ReactElement } from 'react';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { useAppState } from '../../bridge/use-app-state.ts';
import { useLanguage } from '../../shared/use-language.ts';

/**
 * Returns whether showing the phrase needs the password of the lock: if one is set and the system cannot authenticate.
 */
export function useAsksLockPassword(): boolean {
  return useAppState(({ lock }) => lock !== undefined && lock.isOn && !lock.canAskSystem) === true;
}

interface LockPasswordFieldProps {
  readonly value: string;
  readonly takesFocus?: boolean;
  readonly onChange: (value: string) => void;
}

export function LockPasswordField({ value, takesFocus = true, onChange }: LockPasswordFieldProps): ReactElement {
  const { strings } = useLanguage();
  return (
    <TextField
      label={strings.lock.password}
      hint={strings.lock.confirmText}
      name="lock-password"
      type="password"
      autoComplete="current-password"
      value={value}
      onChange={onChange}
      takesFocus={takesFocus}
    />
  );
}
