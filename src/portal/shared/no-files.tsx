import type { ReactElement } from 'react';
import { Button } from '../../ui/buttons/button.tsx';
import { ModalDialog } from '../../ui/dialogs/modal-dialog.tsx';
import { useLanguage } from '../strings/language.ts';

/** Explains why this page shows no names and contents of files. */
export function NoFiles({ onClose }: { readonly onClose: () => void }): ReactElement {
  const { strings } = useLanguage();
  return (
    <ModalDialog title={strings.noFiles.title} onClose={onClose}>
      {strings.noFiles.body.map((paragraph) => (
        <p key={paragraph}>{paragraph}</p>
      ))}
      <div className="ui-actions">
        <Button kind="primary" onPress={onClose}>
          {strings.common.close}
        </Button>
      </div>
    </ModalDialog>
  );
}
