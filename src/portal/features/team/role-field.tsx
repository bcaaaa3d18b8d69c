import type { ReactElement } from 'react';
import { useLanguage } from '../../strings/language.ts';

interface RoleFieldProps {
  readonly roles: readonly string[];
  readonly value: string;
  readonly onChange: (role: string) => void;
}

/** One role, each with what it may do. */
export function RoleField({ roles, value, onChange }: RoleFieldProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.team;
  return (
    <label className="ui-field">
      <span className="ui-label">{words.role}</span>
      <select className="ui-input" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {roles.map((name) => (
          <option key={name} value={name}>
            {words.roles[name]}: {words.roleHints[name]}
          </option>
        ))}
      </select>
    </label>
  );
}
