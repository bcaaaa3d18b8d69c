import type { ReactElement } from 'react';
import { Menu, MenuItem } from 'react-aria-components';
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

interface MenuChoicesProps {
  /** Accessible name. */
  readonly label: string;
  readonly choices: readonly MenuChoice[];
  /** Of a menu without a button of its own. */
  readonly onClose?: () => void;
}

/** The items of a menu. */
export function MenuChoices({ label, choices, onClose }: MenuChoicesProps): ReactElement {
  return (
    <Menu
      className="ui-options"
      aria-label={label}
      {...(onClose === undefined ? {} : { onClose, autoFocus: 'first' as const })}
    >
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
  );
}
