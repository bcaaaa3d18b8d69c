import type { ReactElement } from 'react';
import { TextField } from '../../../../ui/fields/text-field.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { Unencrypted } from '../unencrypted.tsx';
import type { FieldsProps } from './fields-props.ts';

export function ServiceField({ choice, isChecked, onChange }: FieldsProps<'service'>): ReactElement {
  const words = useLanguage().strings.destinationChoice;
  return (
    <div className="ui-stack">
      <TextField
        label={words.serviceAddress}
        name="url"
        type="url"
        hint={words.serviceAddressHint}
        value={choice.url}
        error={isChecked && choice.url.trim() === '' ? words.missing : undefined}
        onChange={(url) => onChange({ ...choice, url })}
      />
      <Unencrypted address={choice.url} />
    </div>
  );
}
