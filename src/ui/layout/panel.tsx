import { useEffect, useId, useRef } from 'react';
import type { ReactElement, ReactNode } from 'react';

interface PanelProps {
  readonly title: string;
  /** Hides the heading, for a panel whose page has the same one. */
  readonly isTitleHidden?: boolean;
  /** Beside the title. */
  readonly actions?: ReactNode;
  /** Gets the focus when it appears, so that screen readers announce it by its title. */
  readonly takesFocus?: boolean;
  readonly children: ReactNode;
}

/** A section of a page. */
export function Panel(props: PanelProps): ReactElement {
  const { title, isTitleHidden = false, actions, takesFocus = false, children } = props;
  const id = useId();
  const panel = useRef<HTMLElement>(null);
  useEffect(() => {
    if (takesFocus) panel.current?.focus();
  }, [takesFocus]);
  return (
    <section ref={panel} tabIndex={takesFocus ? -1 : undefined} className="ui-panel" aria-labelledby={id}>
      <div className={isTitleHidden ? 'ui-hidden' : 'ui-panel-head'}>
        <h2 id={id}>{title}</h2>
        {actions !== undefined && <div className="ui-row">{actions}</div>}
      </div>
      {children}
    </section>
  );
}
