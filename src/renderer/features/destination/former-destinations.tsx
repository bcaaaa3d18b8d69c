import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ConfiguredDestination } from '../../../ipc/state.ts';
import type { FormerDestination } from '../../../ipc/contract/destination.ts';
import { call } from '../../bridge/bridge.ts';
import { Loaded } from '../../../ui/requests/loaded.tsx';
import { Button } from '../../../ui/buttons/button.tsx';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';
import { Select } from '../../../ui/choices/select.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { useCall } from '../../bridge/use-call.ts';
import { useLanguage } from '../../shared/use-language.ts';
import './destination.css';

interface FormerDestinationsProps {
  /** The configured ones, one of which a former one replaces. */
  readonly current: readonly ConfiguredDestination[];
}

/** Former destinations, with a way back to each; empty if there are none. */
export function FormerDestinations({ current }: FormerDestinationsProps): ReactElement {
  const answer = useCall('destination.former', {});
  return (
    <Loaded resource={answer}>
      {({ destinations }) =>
        destinations.length === 0 ? null : (
          <FormerList destinations={destinations} current={current} onReturned={answer.reload} />
        )
      }
    </Loaded>
  );
}

interface FormerListProps extends FormerDestinationsProps {
  readonly destinations: readonly FormerDestination[];
  readonly onReturned: () => void;
}

function FormerList({ destinations, current, onReturned }: FormerListProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.destination.former;
  const [chosen, setChosen] = useState<FormerDestination>();
  const [replaced, setReplaced] = useState<string>();
  const old = current.find(({ id }) => id === replaced) ?? current[0];
  return (
    <Panel title={words.title}>
      <p className="ui-soft settings-text">{words.text}</p>
      <ul className="destination-former">
        {destinations.map((destination) => (
          <li key={destination.leftAt}>
            <p>
              <bdi>{destination.location}</bdi>
              <span className="ui-hint">{words.until(formats.dateTime(destination.leftAt))}</span>
            </p>
            <Button label={words.againLabel(destination.location)} onPress={() => setChosen(destination)}>
              {words.again}
            </Button>
          </li>
        ))}
      </ul>
      {chosen && old && (
        <ConfirmDialog
          title={words.confirmTitle}
          confirm={words.again}
          isDangerous={false}
          work={async () => {
            await call('destination.return', { leftAt: chosen.leftAt, destination: old.id });
            setChosen(undefined);
            onReturned();
          }}
          onClose={() => setChosen(undefined)}
        >
          {current.length > 1 && (
            <Select
              label={words.replaced}
              value={old.id}
              options={current.map(({ id, name }) => ({ value: id, label: name }))}
              onChange={setReplaced}
            />
          )}
          <p>
            {current.length > 1 ? words.confirmSeveral(chosen.location, old.name) : words.confirmText(chosen.location)}
          </p>
        </ConfirmDialog>
      )}
    </Panel>
  );
}
