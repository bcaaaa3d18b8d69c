import { useState } from 'react';
import type { ReactElement } from 'react';
import type { FormerDestination } from '../../../ipc/contract/destination.ts';
import { call } from '../../bridge/bridge.ts';
import { Loaded } from '../../../ui/requests/loaded.tsx';
import { Button } from '../../../ui/buttons/button.tsx';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { useCall } from '../../bridge/use-call.ts';
import { useLanguage } from '../../shared/use-language.ts';
import './destination.css';

/** Former destinations, with a way back to each; empty if the destination never changed. */
export function FormerDestinations(): ReactElement {
  const answer = useCall('destination.former', {});
  return (
    <Loaded resource={answer}>
      {({ destinations }) =>
        destinations.length === 0 ? null : <FormerList destinations={destinations} onReturned={answer.reload} />
      }
    </Loaded>
  );
}

interface FormerListProps {
  readonly destinations: readonly FormerDestination[];
  readonly onReturned: () => void;
}

function FormerList({ destinations, onReturned }: FormerListProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.destination.former;
  const [chosen, setChosen] = useState<FormerDestination>();
  return (
    <Panel title={words.title}>
      <p className="ui-soft settings-text">{words.text}</p>
      <ul className="destination-former">
        {destinations.map((destination) => (
          <li key={destination.leftAt}>
            <p>
              {destination.location}
              <span className="ui-hint">{words.until(formats.dateTime(destination.leftAt))}</span>
            </p>
            <Button label={words.againLabel(destination.location)} onPress={() => setChosen(destination)}>
              {words.again}
            </Button>
          </li>
        ))}
      </ul>
      {chosen && (
        <ConfirmDialog
          title={words.confirmTitle}
          confirm={words.again}
          isDangerous={false}
          work={async () => {
            await call('destination.return', { leftAt: chosen.leftAt });
            setChosen(undefined);
            onReturned();
          }}
          onClose={() => setChosen(undefined)}
        >
          <p>{words.confirmText(chosen.location)}</p>
        </ConfirmDialog>
      )}
    </Panel>
  );
}
