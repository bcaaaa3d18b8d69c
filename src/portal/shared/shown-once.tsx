import { useState } from 'react';
import type { ReactElement } from 'react';
import { Button } from '../../ui/buttons/button.tsx';
import { ModalDialog } from '../../ui/dialogs/modal-dialog.tsx';
import { useLanguage } from '../strings/language.ts';

interface ShownOnceProps {
  readonly title: string;
  readonly body: string;
  readonly value: string;
  readonly onClose: () => void;
}

/** A value that is shown this once. A press outside does not close it. */
export function ShownOnce({ title, body, value, onClose }: ShownOnceProps): ReactElement {
  const { strings } = useLanguage();
  const [isCopied, setCopied] = useState(false);
  const copy = (): void => {
    navigator.clipboard.writeText(value).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <ModalDialog title={title} isDismissable={false} onClose={onClose}>
      <p>{body}</p>
      <div className="ui-secret">
        <code>{value}</code>
      </div>
      <div className="ui-actions">
        {/* Only secure contexts may write to the clipboard. */}
        {isSecureContext && <Button onPress={copy}>{isCopied ? strings.common.copied : strings.common.copy}</Button>}
        <output className="ui-hidden" data-live-announcer>
          {isCopied && strings.common.copied}
        </output>
        <Button kind="primary" onPress={onClose}>
          {strings.common.done}
        </Button>
      </div>
    </ModalDialog>
  );
}
