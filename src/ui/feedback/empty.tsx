import type { ReactElement, ReactNode } from 'react';
import { Icon } from '../icon.tsx';
import type { IconName } from '../icon.tsx';

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children?: ReactNode;
}

/** What stands where there is nothing yet: why, and how something gets there. */
export function Empty({ icon, title, children }: EmptyProps): ReactElement {
  return (
    <div className="ui-empty">
      <Icon name={icon} />
      <h3>{title}</h3>
      {children !== undefined && <p className="ui-soft">{children}</p>}
    </div>
  );
}
