/** ID of the heading that names the content. A view has one at a time. */
export const VIEW_TITLE = 'view-title';

/** Of a page that replaces a view, such as an editor: a new element gets the focus anew. */
export const PAGE_IN_VIEW = { role: 'region', tabIndex: -1, 'aria-labelledby': VIEW_TITLE } as const;

/**
 * Focuses the view, or the page in it, so that screen readers announce it by its heading, and Tab continues from there. The heading itself would not do
 * (docs/decisions/0311-focus-of-a-new-view.md).
 */
export function focusView(): void {
  const page = document.querySelector<HTMLElement>(`#content [aria-labelledby="${VIEW_TITLE}"]`);
  (page ?? document.querySelector<HTMLElement>('#content'))?.focus({ preventScroll: true });
}
