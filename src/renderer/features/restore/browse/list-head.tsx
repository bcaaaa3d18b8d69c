import type { ReactElement } from 'react';
import type { ListingOrder } from '../../../../ipc/contract/restore/restore.ts';
import { Icon } from '../../../../ui/icon.tsx';
import { useLanguage } from '../../../shared/use-language.ts';
import { sortBy } from '../store/restore-store.ts';

const COLUMNS = ['name', 'size', 'modified'] as const;

/** The names of the columns, which sort by them. */
export function ListHead({ order }: { readonly order: ListingOrder }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.restore.browser;
  return (
    <div className="restore-head" role="row" aria-rowindex={1}>
      <span role="columnheader">
        <span className="ui-hidden">{words.choose}</span>
      </span>
      {COLUMNS.map((column) => {
        const isSorted = order.by === column;
        const direction = order.isDescending ? 'descending' : 'ascending';
        return (
          <span
            key={column}
            role="columnheader"
            aria-sort={isSorted ? direction : 'none'}
            className={`restore-sort-${column}`}
          >
            <button type="button" className="restore-sort" onClick={() => sortBy(column)}>
              {words[column]}
              {isSorted && <Icon name={order.isDescending ? 'down' : 'up'} />}
            </button>
          </span>
        );
      })}
    </div>
  );
}
