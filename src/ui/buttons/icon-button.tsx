import type { ReactElement } from 'react';
import { Button } from 'react-aria-components';
import { Icon } from '../icon.tsx';
import type { IconName } from '../icon.tsx';

interface IconButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly isDisabled?: boolean;
  /** Name of the slot that it fills in a control of react-aria. */
  readonly slot?: string;
  readonly onPress?: () => void;
}

/** A quiet button that shows an icon alone. */
export function IconButton({ icon, label, ...rest }: IconButtonProps): ReactElement {
  return (
    <Button className="ui-button" data-kind="quiet" data-icon aria-label={label} {...rest}>
      <Icon name={icon} />
    </Button>
  );
}
