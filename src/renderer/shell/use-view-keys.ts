import { useEffect } from 'react';
import { view as views } from '../../ipc/contract.ts';
import type { View } from '../../ipc/contract.ts';

/** Ctrl+1 (on a Mac Cmd+1) goes to the first view, and so on. */
export function useViewKeys(onView: (view: View) => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
      const wanted = views.options[Number(event.key) - 1];
      if (wanted === undefined) return;
      event.preventDefault();
      onView(wanted);
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [onView]);
}
