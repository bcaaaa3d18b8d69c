import type { ReactElement } from 'react';
import './brand.css';

export function Brand(): ReactElement {
  return (
    <span className="portal-name">
      <svg viewBox="0 0 32 32" aria-hidden="true">
        <rect width="32" height="32" rx="8" />
        <path d="M10 7.500v11a6 6 0 0 0 12 0v-11M10 14.500h12" />
      </svg>
      Holdfast
    </span>
  );
}
