import { useId } from 'react';
import type { ReactElement, ReactNode } from 'react';

interface PanelProps {
  readonly title: string;
  /** Hides the heading, for a panel whose page has the same one. */
  readonly isTitleHidden?: boolean;
  /** Beside the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A section of a page. */
export function Panel({ title, isTitleHidden = false, actions, children }: PanelProps): ReactElement {
  const id = useId();
  return (
    <section className="ui-panel" aria-labelledby={id}>
      <div className={isTitleHidden ? 'ui-hidden' : 'ui-panel-head'}>
        <h2 id={id}>{title}</h2>
        {actions !== undefined && <div className="ui-row">{actions}</div>}
      </div>
      {children}
    </section>
  );
}
