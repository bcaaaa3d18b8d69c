import type { ReactElement } from 'react';
import { useLanguage } from '../../../shared/use-language.ts';

/** The only row of an empty folder. */
export function NoRows(): ReactElement {
  const { strings } = useLanguage();
  return (
    <div role="row" className="restore-no-rows ui-soft">
      <span role="gridcell">{strings.restore.browser.empty}</span>
    </div>
  );
}

/** Rows that are shown until the first ones have arrived. */
export function Skeletons(): ReactElement {
  const { strings } = useLanguage();
  return (
    <div role="row" className="restore-skeletons">
      <span role="gridcell" className="ui-hidden">
        {strings.common.loading}
      </span>
      {[52, 38, 61, 45, 30].map((width) => (
        <span key={width} aria-hidden="true" className="ui-skeleton restore-skeleton" style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}
