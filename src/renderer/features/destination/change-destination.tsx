import type { ReactElement } from 'react';
import { Dialog, Modal, ModalOverlay } from 'react-aria-components';
import type { AppState } from '../../../ipc/state.ts';
import { BrandMark } from '../../shared/brand.tsx';
import { Button } from '../../../ui/buttons/button.tsx';
import { useLanguage } from '../../shared/use-language.ts';
import { NewDestinationSteps } from './new-destination-steps.tsx';
import './destination.css';
import { MoveStep } from './move-step.tsx';

export type DestinationChange = 'move' | 'begin';

interface ChangeDestinationProps {
  readonly change: DestinationChange;
  /** The current destination. */
  readonly destination: NonNullable<AppState['destination']>;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

/** The steps that change the destination. They fill the window, as the first steps do. */
export function ChangeDestination({ change, destination, onDone, onClose }: ChangeDestinationProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.destination;
  return (
    <ModalOverlay className="destination-veil" isOpen onOpenChange={(open) => !open && onClose()}>
      <Modal className="destination-modal">
        <Dialog className="first" aria-label={words[change].open}>
          <header className="first-head">
            <p className="frame-brand">
              <BrandMark />
              {strings.common.product}
            </p>
            <Button kind="quiet" onPress={onClose}>
              {strings.common.cancel}
            </Button>
          </header>
          <div className="first-shown">
            {change === 'move' ? (
              <MoveStep destination={destination} onDone={onDone} />
            ) : (
              <NewDestinationSteps old={destination.location} onDone={onDone} />
            )}
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
