import type { ReactElement } from 'react';
import type { AppState } from '../../../ipc/state.ts';
import { isBackedUp, standingsOf } from '../../../strings/destinations/standing.ts';
import { Panel } from '../../../ui/layout/panel.tsx';
import { useLanguage } from '../../shared/use-language.ts';
import { DestinationRow } from '../destination/list/destination-row.tsx';

interface DestinationsPanelProps {
  readonly state: AppState;
  readonly now: number;
}

/** The health of each destination, if there are several. */
export function DestinationsPanel({ state, now }: DestinationsPanelProps): ReactElement | null {
  const words = useLanguage().strings.destinations;
  const standings = standingsOf(state, now);
  if (standings.length < 2) return null;
  return (
    <Panel title={words.title}>
      <ul className="dest-rows">
        {standings.map((standing) => (
          <DestinationRow
            key={standing.destination.id}
            standing={standing}
            isCovered={standings.some((other) => other !== standing && isBackedUp(other))}
            now={now}
          />
        ))}
      </ul>
    </Panel>
  );
}
