import { useCallback, useEffect, useRef } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { Icon } from '../../ui/icon.tsx';
import { CONTENT } from '../../ui/layout/use-lost-focus.ts';
import './page.css';

/** ID of the heading, which names the section. */
const TITLE = 'page-title';

/** Focuses the section, so that screen readers announce it by its heading (docs/decisions/history/0311-focus-of-a-new-view.md). */
export function focusPage(): void {
  document.getElementById(CONTENT)?.focus({ preventScroll: true });
}

interface PageProps {
  readonly title: string;
  /** The title is about to change. */
  readonly isLoading?: boolean;
  readonly lead?: string;
  /** A link above the heading. */
  readonly back?: { readonly href: string; readonly text: string };
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A section of the page, or a device in it. It gets the focus once its title is known, unless the person has moved it meanwhile. */
export function Page({ title, isLoading = false, lead, back, actions, children }: PageProps): ReactElement {
  useEffect(() => {
    document.title = `${title} · Holdfast`;
  }, [title]);
  const link = useRef<HTMLAnchorElement>(null);
  const loading = useRef<{ readonly focused: Element | null; wasLinkFocused: boolean }>(undefined);
  useEffect(() => {
    if (isLoading) {
      loading.current = { focused: document.activeElement, wasLinkFocused: false };
      return;
    }
    const at = document.activeElement;
    const isMoved = loading.current !== undefined && at !== document.body && at !== loading.current.focused;
    if (loading.current?.wasLinkFocused === true) link.current?.focus();
    else if (!isMoved) {
      focusPage();
      scrollTo(0, 0);
    }
    loading.current = undefined;
  }, [isLoading]);
  // Called before the element is removed, which takes the focus from the link in it.
  const leave = useCallback(
    () => () => {
      if (loading.current) loading.current.wasLinkFocused = document.activeElement === link.current;
    },
    [],
  );
  return (
    // A new element once its title is known, so that it has that name, and for each section, which has a page of its own: it gets the focus anew.
    <main
      ref={leave}
      key={isLoading ? 'loading' : 'known'}
      id={CONTENT}
      tabIndex={-1}
      className="portal-main"
      aria-labelledby={TITLE}
      aria-busy={isLoading}
    >
      <div className="portal-page">
        <header className="portal-page-head">
          <div className="ui-stack-tight">
            {back && (
              <a ref={link} className="portal-back" href={back.href}>
                <Icon name="left" />
                {back.text}
              </a>
            )}
            <h1 id={TITLE}>{title}</h1>
            {lead !== undefined && <p className="ui-soft">{lead}</p>}
          </div>
          {actions !== undefined && <div className="ui-row">{actions}</div>}
        </header>
        {children}
      </div>
    </main>
  );
}
