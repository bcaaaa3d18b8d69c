import type { ReactElement, ReactNode } from 'react';
import { Icon } from '../icon.tsx';
import type { IconName } from '../icon.tsx';

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ReactNode;
}

/** Takes the place of an empty list: why it is empty, and how to fill it. */
export function Empty({ icon, title, children }: EmptyProps): ReactElement {
  return (
    <div className="ui-empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children !== undefined && <p className="ui-soft">{children}</p>}
    </div>
  );
}
