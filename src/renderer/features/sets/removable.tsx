import type { ReactElement, ReactNode } from 'react';
import { Button } from 'react-aria-components';
import { Icon } from '../../ui/icon.tsx';

interface RemovableProps {
  /** What the cross does. */
  readonly label: string;
  readonly title?: string;
  readonly onRemove: () => void;
  readonly children: ReactNode;
}

/** One of a few things that were chosen, with a cross. */
export function Removable({ label, title, onRemove, children }: RemovableProps): ReactElement {
  return (
    <li className="set-chip" title={title}>
      <span className="set-chip-text">{children}</span>
      <Button className="set-chip-remove" aria-label={label} onPress={onRemove}>
        <Icon name="close" />
      </Button>
    </li>
  );
}
