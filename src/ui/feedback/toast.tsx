import type { ReactElement } from 'react';
import {
  Button,
  Text,
  UNSTABLE_Toast as AriaToast,
  UNSTABLE_ToastContent as ToastContent,
  UNSTABLE_ToastQueue as ToastQueue,
  UNSTABLE_ToastRegion as ToastRegion,
} from 'react-aria-components';
import { Icon } from '../icon.tsx';

/** Milliseconds. Hovering or focusing a message keeps it. */
const SHOWN = 5_000;
const queue = new ToastQueue<string>({ maxVisibleToasts: 3 });

/** Shows a message for a few seconds: for a success that is not visible otherwise. Failures and tasks stay in their view. */
export function toast(text: string): void {
  queue.add(text, { timeout: SHOWN });
}

interface ToastsProps {
  /** Accessible name of the landmark. */
  readonly label: string;
  readonly closeLabel: string;
}

/** The place of all messages: once in a window. */
export function Toasts({ label, closeLabel }: ToastsProps): ReactElement {
  return (
    <ToastRegion queue={queue} className="ui-toasts" aria-label={label}>
      {({ toast: shown }) => (
        <AriaToast
          toast={shown}
          className="ui-toast"
          // Screen readers would say an alert dialog by itself, with its button, and then the status in it.
          render={(props) => <div {...props} role="group" aria-modal={undefined} />}
        >
          <Icon name="check" />
          {/* A success can wait until a screen reader has finished its sentence. */}
          <ToastContent role="status" data-live-announcer className="ui-toast-text">
            <Text slot="title">{shown.content}</Text>
          </ToastContent>
          <Button slot="close" className="ui-toast-close" aria-label={closeLabel}>
            <Icon name="close" />
          </Button>
        </AriaToast>
      )}
    </ToastRegion>
  );
}
