import type { ReactElement } from 'react';
import { call } from '../../../bridge/bridge.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Segments } from '../../../../ui/choices/segments.tsx';
import { TextField } from '../../../../ui/fields/text-field.tsx';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import type { ChoiceOf } from '../destination-draft.ts';
import type { FieldsProps } from './fields-props.ts';

type SignIn = ChoiceOf<'sftp'>['signIn'];

const EMPTY_SIGN_INS: { readonly [Kind in SignIn['kind']]: Extract<SignIn, { kind: Kind }> } = {
  password: { kind: 'password', password: '' },
  'key-file': { kind: 'key-file', file: '', passphrase: '' },
  default: { kind: 'default' },
};

export function SftpFields({ choice, isChecked, onChange }: FieldsProps<'sftp'>): ReactElement {
  const words = useLanguage().strings.destinationChoice;
  const errorFor = (text: string): string | undefined => (isChecked && text.trim() === '' ? words.missing : undefined);
  return (
    <div className="ui-stack">
      <div className="ui-stack destination-pairs">
        <TextField
          label={words.sshHost}
          name="host"
          hint={words.sshHostHint}
          value={choice.host}
          error={errorFor(choice.host)}
          // Another server has another key.
          onChange={(host) => onChange({ ...choice, host, hostKey: undefined })}
        />
        <TextField
          label={words.user}
          name="user"
          autoComplete="off"
          hint={words.sshUserHint}
          value={choice.user}
          error={errorFor(choice.user)}
          onChange={(user) => onChange({ ...choice, user })}
        />
      </div>
      <TextField
        label={words.folderThere}
        name="path"
        hint={words.sshFolderHint}
        value={choice.path}
        onChange={(path) => onChange({ ...choice, path })}
      />
      <Segments
        label={words.signIn}
        value={choice.signIn.kind}
        options={(['password', 'key-file', 'default'] as const).map((value) => ({
          value,
          label: words.signIns[value],
        }))}
        onChange={(kind) => onChange({ ...choice, signIn: EMPTY_SIGN_INS[kind] })}
      />
      <SignInFields
        signIn={choice.signIn}
        isChecked={isChecked}
        onChange={(signIn) => onChange({ ...choice, signIn })}
      />
    </div>
  );
}

interface SignInFieldsProps {
  readonly signIn: SignIn;
  readonly isChecked: boolean;
  readonly onChange: (signIn: SignIn) => void;
}

function SignInFields({ signIn, isChecked, onChange }: SignInFieldsProps): ReactElement {
  const words = useLanguage().strings.destinationChoice;
  switch (signIn.kind) {
    case 'password':
      return (
        <TextField
          label={words.password}
          name="password"
          type="password"
          autoComplete="off"
          value={signIn.password}
          error={isChecked && signIn.password === '' ? words.missing : undefined}
          onChange={(password) => onChange({ ...signIn, password })}
        />
      );
    case 'key-file':
      return <KeyFileFields signIn={signIn} isChecked={isChecked} onChange={onChange} />;
    case 'default':
      return <p className="ui-hint">{words.defaultKeyHint}</p>;
  }
}

interface KeyFileFieldsProps extends SignInFieldsProps {
  readonly signIn: Extract<SignIn, { kind: 'key-file' }>;
}

function KeyFileFields({ signIn, isChecked, onChange }: KeyFileFieldsProps): ReactElement {
  const words = useLanguage().strings.destinationChoice;
  const action = useAction();
  const { file, passphrase = '' } = signIn;
  const choose = (): void =>
    action.run(async () => {
      const title = words.chooseKeyFile;
      const { path } = await call('shell.choose-file', { title, ...(file === '' ? {} : { from: file }) });
      if (path !== undefined) onChange({ ...signIn, file: path });
    });
  return (
    <>
      <div className="destination-with-button">
        <TextField
          label={words.keyFile}
          name="key-file"
          hint={words.keyFileHint}
          value={file}
          error={isChecked && file.trim() === '' ? words.missing : undefined}
          onChange={(next) => onChange({ ...signIn, file: next })}
        />
        <Button label={words.chooseKeyFile} isPending={action.isPending} onPress={choose}>
          {words.choose}
        </Button>
      </div>
      <TextField
        label={words.passphrase}
        name="passphrase"
        type="password"
        autoComplete="off"
        hint={words.passphraseHint}
        value={passphrase}
        onChange={(next) => onChange({ ...signIn, passphrase: next })}
      />
      <FailureNotice failure={action.failure} />
    </>
  );
}
