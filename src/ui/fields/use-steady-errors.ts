import { useEffect, useRef } from 'react';
import type { RefObject } from 'react';

/** Marks the event by which a corrected field is checked again. */
class Recheck extends Event {}

/**
 * Keeps the error of a field where it is when the field loses the focus. The press that takes the focus away would otherwise miss
 * a button which that error moves. An error appears when the form is submitted, and follows the value while it is corrected.
 *
 * @returns ref of the box around the input
 */
export function useSteadyErrors(): RefObject<HTMLDivElement | null> {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    // react-aria checks a field at its change event, which the browser sends when the focus leaves.
    const changed = (event: Event): void => {
      if (!(event instanceof Recheck)) event.stopPropagation();
    };
    const typed = ({ target }: Event): void => {
      // react-aria keeps the first error of a field that is still wrong in another way.
      if (target instanceof HTMLInputElement && element.hasAttribute('data-invalid'))
        target.dispatchEvent(new Recheck('change', { bubbles: true }));
    };
    element.addEventListener('change', changed, { capture: true });
    element.addEventListener('input', typed);
    return () => {
      element.removeEventListener('change', changed, { capture: true });
      element.removeEventListener('input', typed);
    };
  }, []);
  return box;
}
