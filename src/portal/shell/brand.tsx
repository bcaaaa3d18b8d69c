import type { ReactElement } from 'react';

export function Brand(): ReactElement {
  return (
    <span className="portal-name">
      <svg viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="8" />
        <path d="M9 7v18M23 7v18M9 16h14" />
      </svg>
      Holdfast
    </span>
  );
}
