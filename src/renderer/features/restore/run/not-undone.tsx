import type { ReactElement } from 'react';
import type { UndoOutcome } from '../../../../ipc/contract/restore/restore.ts';
import { PathText } from '../../../shared/path-text.tsx';
import { useLanguage } from '../../../shared/use-language.ts';

/** Entries to list. */
const NAMED = 50;

/** What an undo has left as it is, and why. */
export function NotUndone({ outcome }: { readonly outcome: UndoOutcome }): ReactElement | null {
  const { strings } = useLanguage();
  const words = strings.restore.undo;
  const { notUndone, notUndoneTotal } = outcome;
  if (notUndoneTotal === 0) return null;
  return (
    <details>
      <summary>{words.notUndone(notUndoneTotal)}</summary>
      <ul className="restore-conflicts ui-small">
        {notUndone.slice(0, NAMED).map(({ path, reason }) => (
          <li key={path}>
            <PathText path={path} /> <span className="ui-soft">{words.reason(reason)}</span>
          </li>
        ))}
        {notUndoneTotal > NAMED && <li>{strings.restore.plan.more(notUndoneTotal - NAMED)}</li>}
      </ul>
    </details>
  );
}
