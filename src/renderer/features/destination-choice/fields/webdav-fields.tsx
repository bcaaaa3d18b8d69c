import type { ReactElement } from 'react';
import { TextField } from '../../../../ui/fields/text-field.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { hasUser } from '../destination-draft.ts';
import { Unencrypted } from '../unencrypted.tsx';
import type { FieldsProps } from './fields-props.ts';

export function WebdavFields({ choice, isChecked, onChange }: FieldsProps<'webdav'>): ReactElement {
  const words = useLanguage().strings.destinationChoice;
  const { address, user = '', password = '' } = choice;
  return (
    <div className="ui-stack">
      <TextField
        label={words.webdavAddress}
        name="webdav"
        type="url"
        hint={words.webdavAddressHint}
        value={address}
        error={isChecked && address.trim() === '' ? words.missing : undefined}
        onChange={(next) => onChange({ ...choice, address: next })}
      />
      <Unencrypted address={address.replace(/^dav(s?):/i, 'http$1:')} />
      <div className="ui-stack destination-pairs">
        <TextField
          label={words.user}
          name="user"
          autoComplete="off"
          hint={words.webdavUserHint}
          value={user}
          onChange={(next) => onChange({ ...choice, user: next })}
        />
        <TextField
          label={words.password}
          name="password"
          type="password"
          autoComplete="off"
          hint={words.appPasswordHint}
          value={password}
          error={isChecked && hasUser(choice) && password === '' ? words.missing : undefined}
          onChange={(next) => onChange({ ...choice, password: next })}
        />
      </div>
    </div>
  );
}
