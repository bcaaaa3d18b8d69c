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

/** Milliseconds; it stays longer where the pointer or the focus is. */
const SHOWN = 5_000;
const queue = new ToastQueue<string>({ maxVisibleToasts: 3 });

/**
 * Says in passing that something is done which is not seen otherwise. Never what went wrong and never what has to be
 * done: that stays where it is until somebody has seen to it.
 */
export function toast(text: string): void {
  queue.add(text, { timeout: SHOWN });
}

interface ToastsProps {
  /** Names the part of the window for who goes through it by its landmarks. */
  readonly label: string;
  readonly closeLabel: string;
}

/** Where they appear: once in a window. */
export function Toasts({ label, closeLabel }: ToastsProps): ReactElement {
  return (
    <ToastRegion queue={queue} className="ui-toasts" aria-label={label}>
      {({ toast: shown }) => (
        <AriaToast toast={shown} className="ui-toast">
          <Icon name="check" />
          {/* What is done can wait until a screen reader has finished its sentence. */}
          <ToastContent role="status" className="ui-toast-text">
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
