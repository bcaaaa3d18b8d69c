import type { ReactElement } from 'react';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { useLanguage } from '../../shared/use-language.ts';
import './account.css';

export interface PasswordEntry {
  readonly email: string;
  readonly password: string;
}

interface PasswordFieldsProps {
  readonly entry: PasswordEntry;
  /** Marks empty fields, after the person has tried to continue. */
  readonly isChecked: boolean;
  readonly takesFocus?: 'email' | 'password';
  readonly onChange: (change: Partial<PasswordEntry>) => void;
}

/** E-mail address and password of an account at a service. */
export function PasswordFields({ entry, isChecked, takesFocus, onChange }: PasswordFieldsProps): ReactElement {
  const words = useLanguage().strings.account;
  const errorOf = (text: string): string | undefined => (isChecked && text.trim() === '' ? words.missing : undefined);
  return (
    <div className="ui-stack">
      <TextField
        label={words.email}
        name="email"
        type="email"
        autoComplete="username"
        takesFocus={takesFocus === 'email'}
        value={entry.email}
        error={errorOf(entry.email)}
        onChange={(email) => onChange({ email })}
      />
      <TextField
        label={words.password}
        name="password"
        type="password"
        autoComplete="current-password"
        takesFocus={takesFocus === 'password'}
        value={entry.password}
        error={errorOf(entry.password)}
        onChange={(password) => onChange({ password })}
      />
    </div>
  );
}
