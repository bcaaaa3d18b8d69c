import type { ReactElement, ReactNode } from 'react';
import { Button, MenuTrigger, Popover } from 'react-aria-components';
import { Icon } from '../icon.tsx';
import { MenuChoices } from './menu-choices.tsx';
import type { MenuChoice } from './menu-choices.tsx';

interface MenuButtonProps {
  /** Content of the button; three dots by default. */
  readonly children?: ReactNode;
  /** Accessible name of the menu, and of a button that shows an icon alone. */
  readonly label: string;
  readonly kind?: 'plain' | 'quiet';
  readonly choices: readonly MenuChoice[];
}

/** A button that opens a menu of less frequent actions. */
export function MenuButton({ children, label, kind = 'plain', choices }: MenuButtonProps): ReactElement {
  return (
    <MenuTrigger>
      <Button
        className="ui-button"
        data-kind={kind}
        data-icon={children === undefined ? true : undefined}
        {...(children === undefined ? { 'aria-label': label } : {})}
      >
        {children ?? <Icon name="more" />}
        {children !== undefined && <Icon name="down" />}
      </Button>
      <Popover className="ui-popover" offset={4} placement="bottom end">
        <MenuChoices label={label} choices={choices} />
      </Popover>
    </MenuTrigger>
  );
}
