import type { ReactElement, ReactNode } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';

interface ModalDialogProps {
  readonly title: string;
  /** Escape and a press outside close it. Off if what it shows would be lost. */
  readonly isDismissable?: boolean;
  /** As wide as the window allows, for something to look at. */
  readonly isWide?: boolean;
  /** Has room for two columns. */
  readonly hasColumns?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** An open dialog: it is shown by being rendered. Closing it returns the focus to where it was. */
export function ModalDialog(props: ModalDialogProps): ReactElement {
  const { title, isDismissable = true, isWide = false, hasColumns = false, onClose, children } = props;
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
      <Modal className="ui-modal" data-wide={isWide ? true : undefined} data-columns={hasColumns ? true : undefined}>
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
