import type { ReactElement } from 'react';
import { Dialog, Modal, ModalOverlay } from 'react-aria-components';
import type { ConfiguredDestination } from '../../../ipc/state.ts';
import { BrandMark } from '../../shared/brand.tsx';
import { Button } from '../../../ui/buttons/button.tsx';
import { useLanguage } from '../../shared/use-language.ts';
import { ConfirmAddStep } from './confirm-add-step.tsx';
import { ConfirmChangeStep } from './confirm-change-step.tsx';
import { NewDestinationSteps } from './new-destination-steps.tsx';
import './destination.css';
import { MoveStep } from './move-step.tsx';

/** To look for backups that were moved, to begin new ones elsewhere, or to back up to one more place. */
export type DestinationChange = 'move' | 'begin' | 'add';

interface ChangeDestinationProps {
  readonly change: DestinationChange;
  /** The destination that is changed; the preferred one if another is added. */
  readonly destination: ConfiguredDestination;
  /** Called with what happened. */
  readonly onDone: (message: string) => void;
  readonly onClose: () => void;
}

/** The steps that change a destination, or add one. They fill the window, as the first steps do. */
export function ChangeDestination({ change, destination, onDone, onClose }: ChangeDestinationProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.destination;
  return (
    <ModalOverlay className="destination-veil" isOpen onOpenChange={(open) => !open && onClose()}>
      <Modal className="destination-modal">
        <Dialog className="first" aria-label={words[change].open}>
          <div className="first-head">
            <p className="frame-brand">
              <BrandMark />
              {strings.common.product}
            </p>
            <Button kind="quiet" onPress={onClose}>
              {strings.common.cancel}
            </Button>
          </div>
          <div className="first-shown">
            {change === 'move' && <MoveStep destination={destination} onDone={() => onDone(words.done)} />}
            {change === 'begin' && (
              <NewDestinationSteps
                confirm={(chosen) => (
                  <ConfirmChangeStep old={destination} {...chosen} onDone={() => onDone(words.done)} />
                )}
              />
            )}
            {change === 'add' && (
              <NewDestinationSteps confirm={(chosen) => <ConfirmAddStep {...chosen} onDone={onDone} />} />
            )}
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
