import { useRef } from 'react';
import type { ReactElement } from 'react';
import { Popover } from 'react-aria-components';
import { MenuChoices } from './menu-choices.tsx';
import type { MenuChoice } from './menu-choices.tsx';

/** Pixels from the corner of the window. */
export interface MenuPlace {
  readonly x: number;
  readonly y: number;
}

interface ContextMenuProps {
  /** Accessible name. */
  readonly label: string;
  readonly at: MenuPlace;
  readonly choices: readonly MenuChoice[];
  readonly onClose: () => void;
}

/** An open menu at a point: it is shown by being rendered. Closing it returns the focus to where it was. */
export function ContextMenu({ label, at, choices, onClose }: ContextMenuProps): ReactElement {
  const point = useRef<HTMLSpanElement>(null);
  return (
    <>
      <span ref={point} className="ui-menu-point" style={{ left: at.x, top: at.y }} />
      <Popover
        className="ui-popover"
        aria-label={label}
        triggerRef={point}
        isOpen
        onOpenChange={(open) => {
          if (!open) onClose();
        }}
        offset={2}
        placement="bottom start"
      >
        <MenuChoices label={label} choices={choices} onClose={onClose} />
      </Popover>
    </>
  );
}
