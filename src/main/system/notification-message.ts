import type { View } from '../../ipc/contract/contract.ts';
import type { Notice } from '../../ipc/agent-events.ts';
import type { Failure } from '../../base/errors/failure.ts';
import { failureWords } from '../../strings/failure-sentence.ts';
import type { Language } from '../../strings/strings.ts';

export interface Message {
  readonly title: string;
  readonly body: string;
  /** The view that a click opens. */
  readonly view: View;
  /** A button, where the system has them. */
  readonly action?: MessageAction;
}

/** Backs up a set. */
export interface MessageAction {
  readonly label: string;
  readonly backUp: string;
}

/** Returns the text of a notification. */
export function messageOf(notice: Notice, language: Language): Message {
  const { strings, formats } = language;
  const { notices } = strings.shell;
  switch (notice.kind) {
    case 'backup-failed': {
      const { title, titleAt } = notices.backupFailed;
      const { set, destinations, failure } = notice;
      const body = causeOf(failure, language);
      const places = destinations && formats.list(destinations.map((name) => strings.common.quoted(name)));
      const action = { label: notices.tryAgain, backUp: set };
      return { title: places === undefined ? title(set) : titleAt(set, places), body, view: 'activity', action };
    }
    case 'no-backup-for': {
      const words = notices.noBackupFor;
      const { set, days, destination } = notice;
      const title = destination === undefined ? words.title(set, days) : words.titleAt(set, days, destination);
      return { title, body: words.body, view: 'home', action: { label: notices.backUpNow, backUp: set } };
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
      const body = notice.failure ? causeOf(notice.failure, language) : words.body;
      return { title: words.title(notice.set), body, view: 'activity' };
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

/** Characters of a cause. Systems cut what is longer, some in the middle of a word. */
const LONGEST_CAUSE = 140;

/** What happened, without what to do, for which the window is opened. */
function causeOf(failure: Failure, language: Language): string {
  const { what } = failureWords(failure, language);
  return what.length <= LONGEST_CAUSE ? what : `${what.slice(0, LONGEST_CAUSE - 1).trimEnd()}…`;
}
