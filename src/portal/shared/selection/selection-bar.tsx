import type { ReactElement, ReactNode } from 'react';
import { Button } from '../../../ui/buttons/button.tsx';
import { Checkbox } from '../../../ui/choices/checkbox.tsx';
import { useLanguage } from '../../strings/language.ts';
import type { Named, Selection } from './use-selection.ts';
import './selection.css';

interface SelectionBarProps {
  readonly selection: Selection;
  /** The rows of this page that can be chosen. */
  readonly shown: readonly Named[];
  /** Buttons for what can be done with those that are chosen. */
  readonly children: ReactNode;
}

/** Above a table: chooses all rows of the page, and acts on all that are chosen. */
export function SelectionBar({ selection, shown, children }: SelectionBarProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.pages;
  const here = shown.filter(({ id }) => selection.has(id)).length;
  const number = selection.chosen.length;
  return (
    <div className="portal-selection" data-chosen={number > 0 || undefined}>
      <Checkbox
        isSelected={here > 0 && here === shown.length}
        isIndeterminate={here > 0 && here < shown.length}
        isDisabled={shown.length === 0}
        onChange={(isChosen) => selection.choose(shown, isChosen)}
      >
        {words.selectShown}
      </Checkbox>
      {number > 0 && (
        <>
          <output data-live-announcer>{words.selected(number)}</output>
          <span className="ui-row">
            {children}
            <Button kind="quiet" onPress={selection.clear}>
              {words.clearSelection}
            </Button>
          </span>
        </>
      )}
    </div>
  );
}
