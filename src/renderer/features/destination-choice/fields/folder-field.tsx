import type { ReactElement } from 'react';
import { call } from '../../../bridge/bridge.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import type { FieldsProps } from './fields-props.ts';

export function FolderField({ choice, isChecked, onChange }: FieldsProps<'folder'>): ReactElement {
  const words = useLanguage().strings.destinationChoice;
  const action = useAction();
  const isEmpty = choice.path === '';
  const choose = (): void =>
    action.run(async () => {
      const { path } = await call('shell.choose-folder', {
        title: words.chooseFolder,
        ...(isEmpty ? {} : { from: choice.path }),
      });
      if (path !== undefined) onChange({ ...choice, path });
    });
  return (
    <div className="ui-stack">
      {!isEmpty && (
        <p className="destination-path">
          <Icon name="folder" />
          <span className="ui-hidden">{words.chosenFolder}: </span>
          <code>{choice.path}</code>
        </p>
      )}
      <div>
        <Button isPending={action.isPending} onPress={choose}>
          {isEmpty ? words.chooseFolder : words.chooseOther}
        </Button>
      </div>
      {isChecked && isEmpty && (
        <p role="alert" className="ui-field-error">
          {words.folderMissing}
        </p>
      )}
      <FailureNotice failure={action.failure} />
    </div>
  );
}
