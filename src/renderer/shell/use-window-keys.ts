import { useEffect } from 'react';
import { view as views } from '../../ipc/contract/contract.ts';
import type { View } from '../../ipc/contract/contract.ts';
import { hasDialog } from '../shared/use-page-keys.ts';

/**
 * Handles the keys of the whole window, with Ctrl (on a Mac Cmd): a number opens a view, `,` the settings, and F focuses the
 * search of the view. F6 moves between the navigation and the view. The menu shows them, too (main/window/app-menu.ts).
 */
export function useWindowKeys(onView: (view: View) => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.altKey || hasDialog()) return;
      if (actOn(event, onView)) event.preventDefault();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [onView]);
}

function actOn(event: KeyboardEvent, onView: (view: View) => void): boolean {
  if (event.key === 'F6' && !event.ctrlKey && !event.metaKey) return goToOtherRegion();
  if (!(event.ctrlKey || event.metaKey) || event.shiftKey) return false;
  if (event.key.toLowerCase() === 'f') return goToSearch();
  const wanted = event.key === ',' ? 'settings' : views.options[Number(event.key) - 1];
  if (wanted) onView(wanted);
  return wanted !== undefined;
}

function goToOtherRegion(): boolean {
  const content = document.querySelector<HTMLElement>('#content');
  const isInside = content?.contains(document.activeElement) === true;
  const to = isInside ? document.querySelector<HTMLElement>('nav [aria-current="page"]') : content;
  to?.focus();
  return to !== null;
}

function goToSearch(): boolean {
  const search = document.querySelector<HTMLInputElement>('#content input[type="search"]');
  search?.focus();
  search?.select();
  return search !== null;
}
