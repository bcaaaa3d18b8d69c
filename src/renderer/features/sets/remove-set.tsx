import type { ReactElement } from 'react';
import { call } from '../../bridge.ts';
import { FailureNotice } from '../../shell/failure-notice.tsx';
import { Button } from '../../../ui/button.tsx';
import { ModalDialog } from '../../../ui/modal-dialog.tsx';
import { useAction } from '../../use-action.ts';
import { useLanguage } from '../../use-language.ts';

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
