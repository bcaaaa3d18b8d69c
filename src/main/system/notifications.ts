import { Notification } from 'electron';
import type { Message } from './notification-message.ts';

export function canNotify(): boolean {
  return Notification.isSupported();
}

/** Holds the notifications on screen: one that is garbage-collected cannot be clicked. */
const shown = new Set<Notification>();

export interface MessageEvents {
  readonly onClick: () => void;
  /** Of its button. */
  readonly onAction?: () => void;
}

/**
 * Shows a notification of the system; does nothing when it does not support any. macOS and Windows show its button. Elsewhere only a click
 * on the whole is certain.
 */
export function notify(
  { title, body, action }: Pick<Message, 'title' | 'body' | 'action'>,
  icon: string,
  { onClick, onAction }: MessageEvents,
): void {
  if (!canNotify()) return;
  const actions = action && onAction ? [{ type: 'button' as const, text: action.label }] : [];
  const notification = new Notification({ title, body, icon, actions });
  const end = (): void => void shown.delete(notification);
  shown.add(notification);
  notification.on('click', () => {
    end();
    onClick();
  });
  notification.on('action', () => {
    end();
    onAction?.();
  });
  notification.on('close', end);
  notification.show();
}
