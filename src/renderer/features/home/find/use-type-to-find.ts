import { useEffect } from 'react';
import { hasDialog } from '../../../shared/use-page-keys.ts';

/** Controls that do something with letters: fields, and lists that go to an entry of that name. */
const TAKES_LETTERS =
  'input:not([type="checkbox"]), textarea, select, [contenteditable], [role="listbox"], [role="menu"], [aria-haspopup="listbox"]';

/** Begins a search with the first letter that is typed anywhere on the page, so that nobody has to press the field before. */
export function useTypeToFind(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || hasDialog() || !isLetter(event)) return;
      if (event.target instanceof Element && event.target.closest(TAKES_LETTERS)) return;
      // The browser writes the letter into the field that has the focus after this event.
      document.querySelector<HTMLInputElement>('#content input[type="search"]')?.focus();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
}

/** A space presses the button that has the focus. */
function isLetter({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return !ctrlKey && !metaKey && !altKey && key !== ' ' && Array.from(key).length === 1;
}
