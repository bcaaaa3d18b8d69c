import { useEffect } from 'react';
import type { ReactElement } from 'react';
import type { RcloneRemote } from '../../../../ipc/contract/setup.ts';
import { call } from '../../../bridge/bridge.ts';
import { failureOf, useCall } from '../../../bridge/use-call.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Select } from '../../../../ui/choices/select.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { TextField } from '../../../../ui/fields/text-field.tsx';
import { Wait } from '../../../../ui/requests/wait.tsx';
import { useUiTexts } from '../../../../ui/texts.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import type { FieldsProps } from './fields-props.ts';

const INSTALLATION = 'https://rclone.org/install/';

export function RcloneFields(props: FieldsProps<'rclone'>): ReactElement {
  const words = useLanguage().strings.destinationChoice;
  const texts = useUiTexts();
  const found = useCall('setup.rclone-remotes', {});
  switch (found.kind) {
    case 'waiting':
      return <Wait label={words.lookingForRemotes} />;
    case 'failed':
      return (
        <NoRemotes
          text={texts.failure(found.failure)}
          isMissing={isRcloneMissing(found.failure)}
          onRetry={found.reload}
        />
      );
    case 'ready':
      return found.value.remotes.length === 0 ? (
        <NoRemotes text={words.noRemotes} isMissing={false} onRetry={found.reload} />
      ) : (
        <RemoteFields {...props} remotes={found.value.remotes} />
      );
  }
}

function isRcloneMissing(failure: unknown): boolean {
  const { code, details } = failureOf(failure);
  return code === 'usage' && 'problem' in details && details.problem === 'rclone-missing';
}

interface NoRemotesProps {
  readonly text: string;
  /** Whether rclone has to be installed first. */
  readonly isMissing: boolean;
  readonly onRetry: () => void;
}

/** Describes what is needed before a remote can be chosen. */
function NoRemotes({ text, isMissing, onRetry }: NoRemotesProps): ReactElement {
  const words = useLanguage().strings.destinationChoice;
  const open = (): void => void call('shell.open-link', { url: INSTALLATION }).catch(() => undefined);
  return (
    <Notice tone="plain">
      <p>{text}</p>
      <div className="ui-row">
        {isMissing && <Button onPress={open}>{words.installRclone}</Button>}
        <Button onPress={onRetry}>{words.lookAgain}</Button>
      </div>
    </Notice>
  );
}

interface RemoteFieldsProps extends FieldsProps<'rclone'> {
  readonly remotes: readonly RcloneRemote[];
}

function RemoteFields({ choice, remotes, onChange }: RemoteFieldsProps): ReactElement {
  const words = useLanguage().strings.destinationChoice;
  const isKnown = remotes.some(({ name }) => name === choice.remote);
  const [first] = remotes;
  useEffect(() => {
    if (!isKnown && first) onChange({ ...choice, remote: first.name });
  }, [isKnown, first, choice, onChange]);
  return (
    <div className="ui-stack destination-pairs">
      <Select
        label={words.remote}
        hint={words.remoteHint}
        value={choice.remote}
        options={remotes.map(({ name, type }) => ({ value: name, label: name, ...(type !== '' && { hint: type }) }))}
        onChange={(remote) => onChange({ ...choice, remote })}
      />
      <TextField
        label={words.folderThere}
        name="folder"
        hint={words.rcloneFolderHint}
        value={choice.folder}
        onChange={(folder) => onChange({ ...choice, folder })}
      />
    </div>
  );
}
