import { useEffect, useRef } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { Icon } from '../../ui/icon.tsx';
import './page.css';

interface PageProps {
  readonly title: string;
  readonly lead?: string;
  /** A link above the heading. */
  readonly back?: { readonly href: string; readonly text: string };
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A section of the page. Its heading takes the focus, so that screen readers announce the change. */
export function Page({ title, lead, back, actions, children }: PageProps): ReactElement {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Holdfast`;
    heading.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, [title]);
  return (
    <div className="portal-page">
      <header className="portal-page-head">
        <div className="ui-stack-tight">
          {back && (
            <a className="portal-back" href={back.href}>
              <Icon name="left" />
              {back.text}
            </a>
          )}
          <h1 tabIndex={-1} ref={heading}>
            {title}
          </h1>
          {lead !== undefined && <p className="ui-soft">{lead}</p>}
        </div>
        {actions !== undefined && <div className="ui-row">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
