import { useState } from 'react';
import type { ReactElement } from 'react';
import type { AuditEntry } from '../../../protocol/portal/audit.ts';
import { useLanguage } from '../../strings/language.ts';
import { auditFacts } from './audit-changes.ts';
import { auditDetail } from './audit-detail.ts';
import type { KnownNames } from './audit-detail.ts';

interface EntryCellProps {
  readonly entry: AuditEntry;
  readonly names: KnownNames;
}

/** What happened. It opens, and shows what was there before and after. */
export function EntryCell({ entry, names }: EntryCellProps): ReactElement {
  const language = useLanguage();
  const { strings } = language;
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="portal-audit" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span>{strings.audit.kinds[entry.kind] ?? entry.kind}</span>
        <span className="ui-soft ui-small">{auditDetail(entry, names, language)}</span>
      </summary>
      {isOpen && <Facts entry={entry} names={names} />}
    </details>
  );
}

function Facts({ entry, names }: EntryCellProps): ReactElement {
  const language = useLanguage();
  const words = language.strings.audit;
  return (
    <dl className="portal-audit-facts">
      {auditFacts(entry, names, language).map(({ id, label, before, value }) => (
        <div key={id}>
          <dt>{label}</dt>
          {before === undefined ? (
            <dd>{value}</dd>
          ) : (
            <>
              <dd>
                <span className="ui-soft">{words.before}</span> {before}
              </dd>
              <dd>
                <span className="ui-soft">{words.after}</span> <strong>{value}</strong>
              </dd>
            </>
          )}
        </div>
      ))}
    </dl>
  );
}
