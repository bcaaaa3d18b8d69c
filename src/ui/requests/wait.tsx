import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';

/** Milliseconds after which screen readers say that something loads. */
const SILENT = 1_000;

/** Placeholder lines while something loads. They appear after a delay and are announced after a longer one, so that a quick answer shows and says none. */
export function Wait({ label }: { readonly label: string }): ReactElement {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLong(true), SILENT);
    return () => clearTimeout(timer);
  }, []);
  return (
    // No role: Orca reads an empty status as “statusbar”.
    <div className="ui-wait" aria-live="polite" data-live-announcer>
      <span className="ui-hidden">{isLong && label}</span>
      <span className="ui-skeleton" />
      <span className="ui-skeleton" />
      <span className="ui-skeleton" />
    </div>
  );
}
