import type { ReactElement, ReactNode } from 'react';
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';
import { Icon } from '../icon.tsx';
import type { IconName } from '../icon.tsx';

export interface MenuChoice {
  readonly id: string;
  readonly label: string;
  readonly icon?: IconName;
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
  readonly onChoose: () => void;
}

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
        <Menu className="ui-options" aria-label={label}>
          {choices.map((choice) => (
            <MenuItem
              key={choice.id}
              id={choice.id}
              className="ui-option"
              data-danger={choice.isDanger === true ? true : undefined}
              isDisabled={choice.isDisabled ?? false}
              onAction={choice.onChoose}
              textValue={choice.label}
            >
              {choice.icon !== undefined && <Icon name={choice.icon} />}
              {choice.label}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
