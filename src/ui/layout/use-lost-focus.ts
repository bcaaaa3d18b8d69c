import { useEffect } from 'react';

/** Of the element with the view, in the window and in the portal. */
export const CONTENT = 'content';

/**
 * Focuses the view when the control that had the focus is gone, such as a button that its own press removes, or one in a dialog that has been opened from
 * another. Otherwise the next Tab would start at the beginning of the page, and screen readers would say nothing.
 *
 * @param focusView stable
 */
export function useLostFocus(focusView: () => void): void {
  useEffect(() => {
    let last: Element | undefined;
    const note = ({ target }: FocusEvent): void => {
      last = target instanceof Element ? target : undefined;
    };
    const look = (): void => {
      if (last === undefined || last.isConnected) return;
      last = undefined;
      // Whoever removed it may have another place for the focus.
      requestAnimationFrame(() => {
        if (document.activeElement === document.body && isReady()) focusView();
      });
    };
    const observer = new MutationObserver(look);
    observer.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', note);
    return () => {
      observer.disconnect();
      document.removeEventListener('focusin', note);
    };
  }, [focusView]);
}

/** Whether no dialog is over the view, which manages the focus in it, and the view is not about to get the focus by itself. */
function isReady(): boolean {
  return document.getElementById(CONTENT)?.closest('[aria-hidden=true], [inert], [aria-busy=true]') === null;
}
