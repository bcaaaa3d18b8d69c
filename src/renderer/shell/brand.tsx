import type { ReactElement } from 'react';

/** The mark alone, beside words that name it. */
export function BrandMark(): ReactElement {
  return (
    <svg className="brand-mark" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M9 7v18M23 7v18M9 16h14" />
    </svg>
  );
}
