/** IDs of the heading that names a view, and of the one of a page that replaces it, such as an editor. One of them is there at a time. */
export const VIEW_TITLE = 'view-title';
export const PAGE_TITLE = 'page-title';

/** Of the element of such a page: a new one gets the focus anew. Under one ID for both, it would get the name of the heading that has just gone. */
export const PAGE_IN_VIEW = { role: 'region', tabIndex: -1, 'aria-labelledby': PAGE_TITLE, 'data-page': true } as const;

/**
 * Focuses the view, or the page in it, so that screen readers announce it by its heading, and Tab continues from there. The heading itself would not do
 * (docs/decisions/history/0311-focus-of-a-new-view.md).
 */
export function focusView(): void {
  const page = document.querySelector<HTMLElement>('#content [data-page]');
  (page ?? document.querySelector<HTMLElement>('#content'))?.focus({ preventScroll: true });
}

/** Focuses a view that an answer or the agent has changed, unless the person has moved the focus out of it in the meantime, such as to the navigation. */
export function focusLateView(): void {
  const at = document.activeElement;
  const isElsewhere = at !== document.body && document.querySelector('#content')?.contains(at) === false;
  if (!isElsewhere) focusView();
}

/** Focuses a page whose content has just arrived, unless the person has moved the focus to one of its controls, or out of the view, in the meantime. */
export function focusUntouchedPage(): void {
  const page = document.querySelector('#content [data-page]');
  if (page?.contains(document.activeElement) !== true) focusLateView();
}
