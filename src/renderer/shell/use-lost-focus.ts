import { useEffect } from 'react';
import { focusView } from '../shared/view-title.ts';

/**
 * Focuses the view when the control in it that had the focus is gone, such as a button that its own press removes. Otherwise the next Tab would start at
 * the beginning of the window, and screen readers would say nothing.
 */
export function useLostFocus(): void {
  useEffect(() => {
    let last: Element | undefined;
    const note = ({ target }: FocusEvent): void => {
      last = target instanceof Element && target.closest('#content') !== null ? target : undefined;
    };
    const look = (): void => {
      if (last === undefined || last.isConnected) return;
      last = undefined;
      // Whoever removed it may have another place for the focus.
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) focusView();
      });
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', note);
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', note);
    };
  }, []);
}
