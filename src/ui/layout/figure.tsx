import type { ReactElement, ReactNode } from 'react';

interface FigureProps {
  readonly label: string;
  readonly value: string;
  readonly children?: ReactNode;
}

/** A number and what it counts. */
export function Figure({ label, value, children }: FigureProps): ReactElement {
  return (
    <div className="ui-figure">
      <p className="ui-soft">{label}</p>
      <p className="ui-figure-value">{value}</p>
      {children}
    </div>
  );
}
