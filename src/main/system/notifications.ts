import { Notification } from 'electron';
import type { View } from '../../ipc/contract/contract.ts';
import type { Notice } from '../../ipc/agent-events.ts';
import type { Language } from '../../strings/strings.ts';

export interface Message {
  readonly title: string;
  readonly body: string;
  /** The view that a click opens. */
  readonly view: View;
}

/** Returns the text of a notification. */
export function messageOf(notice: Notice, { strings, formats }: Language): Message {
  const { notices } = strings.shell;
  switch (notice.kind) {
    case 'backup-failed': {
      const { title, titleAt, body } = notices.backupFailed;
      const { set, destinations } = notice;
      const places = destinations && formats.list(destinations.map((name) => strings.common.quoted(name)));
      return { title: places === undefined ? title(set) : titleAt(set, places), body, view: 'activity' };
    }
    case 'no-backup-for': {
      const words = notices.noBackupFor;
      const { set, days, destination } = notice;
      const title = destination === undefined ? words.title(set, days) : words.titleAt(set, days, destination);
      return { title, body: words.body, view: 'home' };
    }
    case 'restored': {
      const { title, titleWithFailures, body, bodyWithFailures } = notices.restored;
      return notice.failures > 0
        ? {
            title: titleWithFailures(notice.set),
            body: bodyWithFailures(notice.files, notice.failures),
            view: 'activity',
          }
        : { title: title(notice.set), body: body(notice.files), view: 'activity' };
    }
    case 'restore-failed': {
      const words = notices.restoreFailed;
      return { title: words.title(notice.set), body: words.body, view: 'activity' };
    }
    case 'verification-failed': {
      const words = notices.verificationFailed;
      return { title: words.title(notice.set), body: words.body, view: 'activity' };
    }
    case 'suspicious-run': {
      const { title, titleElsewhere, body } = notices.suspiciousRun;
      return { title: notice.set === undefined ? titleElsewhere : title(notice.set), body, view: 'home' };
    }
  }
}

export function canNotify(): boolean {
  return Notification.isSupported();
}

/** Holds the notifications on screen: one that is garbage-collected cannot be clicked. */
const shown = new Set<Notification>();

/** Shows a notification of the system; does nothing when it does not support any. */
export function notify({ title, body }: Pick<Message, 'title' | 'body'>, icon: string, onClick: () => void): void {
  if (!canNotify()) return;
  const notification = new Notification({ title, body, icon });
  shown.add(notification);
  notification.on('click', () => {
    shown.delete(notification);
    onClick();
  });
  notification.on('close', () => shown.delete(notification));
  notification.show();
}
