import { useId } from 'react';
import type { ReactElement, ReactNode } from 'react';

interface PanelProps {
  readonly title: string;
  /** Where the page's own heading says the same. */
  readonly isTitleHidden?: boolean;
  /** Beside the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page that stands for itself. */
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
