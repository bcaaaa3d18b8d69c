import type { ReactElement } from 'react';
import { useLanguage } from '../../strings/language.ts';
import { NativeSelect } from '../../../ui/fields/native-select.tsx';

interface RoleFieldProps {
  readonly roles: readonly string[];
  readonly value: string;
  readonly onChange: (role: string) => void;
}

/** A role, with what each of them may do. */
export function RoleField({ roles, value, onChange }: RoleFieldProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.team;
  return (
    <NativeSelect
      label={words.role}
      options={roles.map((name) => ({ value: name, label: `${words.roles[name]}: ${words.roleHints[name]}` }))}
      value={value}
      onChange={onChange}
    />
  );
}
