import type { ReactElement } from 'react';

/** The mark alone, beside the name. */
export function BrandMark(): ReactElement {
  return (
    <svg className="brand-mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M10 7.500v11a6 6 0 0 0 12 0v-11M10 14.500h12" />
    </svg>
  );
}
