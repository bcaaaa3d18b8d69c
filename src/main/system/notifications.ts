import { Notification } from 'electron';
import { ButtonNotifications } from './button-notification.ts';
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

/** Of Linux, where Electron shows none. */
const withButtons = new ButtonNotifications();
process.on('exit', () => withButtons.close());

/** Shows a notification of the system; does nothing when it does not support any. Its button is shown where the system has them. */
export function notify(message: Pick<Message, 'title' | 'body' | 'action'>, icon: string, events: MessageEvents): void {
  if (!canNotify()) return;
  const { action } = message;
  const { onClick, onAction } = events;
  if (process.platform !== 'linux' || !action || !onAction) return showByElectron(message, icon, events);
  const onFailure = (): void => showByElectron(message, icon, events);
  withButtons.show({ message, label: action.label, icon, onClick, onButton: onAction, onFailure });
}

function showByElectron(
  { title, body, action }: Pick<Message, 'title' | 'body' | 'action'>,
  icon: string,
  { onClick, onAction }: MessageEvents,
): void {
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
