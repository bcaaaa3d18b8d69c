import type { ReactElement } from 'react';
import { Button } from '../buttons/button.tsx';

export interface RowAction {
  readonly text: string;
  /** Accessible name, which names the row, too. */
  readonly label: string;
  readonly onPress: () => void;
}

/** The buttons of a table row. */
export function RowActions({ actions }: { readonly actions: readonly RowAction[] }): ReactElement {
  return (
    <div className="ui-row">
      {actions.map(({ text, label, onPress }) => (
        <Button key={label} kind="quiet" label={label} onPress={onPress}>
          {text}
        </Button>
      ))}
    </div>
  );
}
