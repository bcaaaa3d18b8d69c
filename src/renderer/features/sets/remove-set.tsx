import type { ReactElement } from 'react';
import { call } from '../../bridge/bridge.ts';
import { FailureNotice } from '../../shared/failure-notice.tsx';
import { Button } from '../../../ui/buttons/button.tsx';
import { ModalDialog } from '../../../ui/dialogs/modal-dialog.tsx';
import { useAction } from '../../shared/use-action.ts';
import { useLanguage } from '../../shared/use-language.ts';

interface RemoveSetProps {
  readonly set: string;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
}

export function RemoveSet({ set, onClose, onRemoved }: RemoveSetProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.sets.remove;
  const { isPending, failure, run } = useAction();
  return (
    <ModalDialog title={words.title(set)} onClose={onClose}>
      <p>{words.body}</p>
      <FailureNotice failure={failure} />
      <div className="ui-actions">
        <Button onPress={onClose}>{strings.common.cancel}</Button>
        <Button
          kind="danger"
          isPending={isPending}
          onPress={() => run(() => call('sets.remove', { set }).then(onRemoved))}
        >
          {words.confirm}
        </Button>
      </div>
    </ModalDialog>
  );
}
