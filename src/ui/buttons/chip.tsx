import type { ReactElement, ReactNode } from 'react';
import { Button } from 'react-aria-components';
import { Icon } from '../icon.tsx';

interface ChipProps {
  /** Accessible name of the remove button. */
  readonly label: string;
  readonly title?: string;
  readonly onRemove: () => void;
  readonly children: ReactNode;
}

/** One of a few chosen things, with a button that removes it. */
export function Chip({ label, title, onRemove, children }: ChipProps): ReactElement {
  return (
    <li className="ui-chip" title={title}>
      <span className="ui-chip-text" dir="auto">
        {children}
      </span>
      <Button className="ui-chip-remove" aria-label={label} onPress={onRemove}>
        <Icon name="close" />
      </Button>
    </li>
  );
}
