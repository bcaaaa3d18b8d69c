import type { ReactElement } from 'react';
import { TextField } from '../../../../ui/fields/text-field.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import type { FieldsProps } from './fields-props.ts';

export function BucketFields({ choice, isChecked, onChange }: FieldsProps<'bucket'>): ReactElement {
  const words = useLanguage().strings.destinationChoice;
  const errorFor = (text: string): string | undefined => (isChecked && text.trim() === '' ? words.missing : undefined);
  return (
    <div className="ui-stack destination-pairs">
      <TextField
        label={words.bucketAddress}
        name="bucket"
        hint={words.bucketAddressHint}
        value={choice.address}
        error={errorFor(choice.address)}
        onChange={(address) => onChange({ ...choice, address })}
      />
      <TextField
        label={words.endpoint}
        name="endpoint"
        hint={words.endpointHint}
        value={choice.endpoint ?? ''}
        onChange={(endpoint) => onChange({ ...choice, endpoint })}
      />
      <TextField
        label={words.accessKeyId}
        name="access-key"
        autoComplete="off"
        value={choice.accessKeyId}
        error={errorFor(choice.accessKeyId)}
        onChange={(accessKeyId) => onChange({ ...choice, accessKeyId })}
      />
      <TextField
        label={words.secretAccessKey}
        name="secret-key"
        type="password"
        autoComplete="off"
        value={choice.secretAccessKey}
        error={errorFor(choice.secretAccessKey)}
        onChange={(secretAccessKey) => onChange({ ...choice, secretAccessKey })}
      />
      <TextField
        label={words.region}
        name="region"
        value={choice.region ?? ''}
        onChange={(region) => onChange({ ...choice, region })}
      />
    </div>
  );
}
