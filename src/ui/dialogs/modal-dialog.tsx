import type { ReactElement, ReactNode } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';

interface ModalDialogProps {
  readonly title: string;
  /** Escape and a press outside close it. Off if what it shows would be lost. */
  readonly isDismissable?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** An open dialog: it is shown by being rendered. Closing it returns the focus to where it was. */
export function ModalDialog({ title, isDismissable = true, onClose, children }: ModalDialogProps): ReactElement {
  return (
    <ModalOverlay
      className="ui-veil"
      isOpen
      isDismissable={isDismissable}
      isKeyboardDismissDisabled={!isDismissable}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Modal className="ui-modal">
        <Dialog className="ui-dialog">
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
