import { useEffect, useRef } from 'react';

interface PageKeys {
  /** Escape. */
  readonly onLeave: () => void;
  /** Ctrl+S, on a Mac Cmd+S. */
  readonly onSave?: () => void;
}

/** Handles the keys of a page that was opened inside of a view. */
export function usePageKeys(keys: PageKeys): void {
  const held = useRef(keys);
  useEffect(() => {
    held.current = keys;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || event.shiftKey || hasDialog()) return;
      const { onLeave, onSave } = held.current;
      const isSave = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 's';
      const act = isSave ? onSave : event.key === 'Escape' ? onLeave : undefined;
      if (!act) return;
      event.preventDefault();
      act();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
}

/** Tests for an open dialog; keys must not act on what is behind it. */
export function hasDialog(): boolean {
  return document.querySelector('[role="dialog"], [role="alertdialog"]') !== null;
}
