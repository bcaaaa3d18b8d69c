import type { ReactElement } from 'react';
import { PORTAL_ROWS } from '../../protocol/portal/portal-devices.ts';
import { Button } from '../../ui/buttons/button.tsx';
import { useLanguage } from '../strings/language.ts';

interface PagerProps {
  /** Rows before the page. */
  readonly offset: number;
  /** Rows of all pages. */
  readonly total: number;
  readonly onOffset: (offset: number) => void;
}

/** Moves between the pages of a table that has more than one. */
export function Pager({ offset, total, onOffset }: PagerProps): ReactElement | null {
  const { strings, formats } = useLanguage();
  const words = strings.pages;
  if (total <= PORTAL_ROWS && offset === 0) return null;
  const [from, to] = [Math.min(offset + 1, total), Math.min(offset + PORTAL_ROWS, total)];
  return (
    <div className="ui-between">
      <p className="ui-soft" role="status" data-live-announcer>
        {words.range(formats.number(from), formats.number(to), formats.number(total))}
      </p>
      <div className="ui-row">
        <Button isDisabled={offset === 0} onPress={() => onOffset(Math.max(0, offset - PORTAL_ROWS))}>
          {words.previous}
        </Button>
        <Button isDisabled={to >= total} onPress={() => onOffset(offset + PORTAL_ROWS)}>
          {words.next}
        </Button>
      </div>
    </div>
  );
}
