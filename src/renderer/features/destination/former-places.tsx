import { useState } from 'react';
import type { ReactElement } from 'react';
import type { FormerPlace } from '../../../ipc/contract/destination.ts';
import { call } from '../../bridge/bridge.ts';
import { FailureNotice } from '../../shared/failure-notice.tsx';
import { Loaded } from '../../shared/loaded.tsx';
import { Button } from '../../../ui/buttons/button.tsx';
import { ConfirmDialog } from '../../../ui/dialogs/confirm-dialog.tsx';
import { Panel } from '../../../ui/layout/panel.tsx';
import { useAction } from '../../shared/use-action.ts';
import { useAnswer } from '../../bridge/use-answer.ts';
import { useLanguage } from '../../shared/use-language.ts';
import './destination.css';

/** Where backups went before, and what goes on with them; nothing where they always went to one place. */
export function FormerPlaces(): ReactElement {
  const answer = useAnswer('destination.former', {});
  return (
    <Loaded answer={answer}>
      {({ places }) => (places.length === 0 ? null : <FormerList places={places} onReturned={answer.reload} />)}
    </Loaded>
  );
}

interface FormerListProps {
  readonly places: readonly FormerPlace[];
  readonly onReturned: () => void;
}

function FormerList({ places, onReturned }: FormerListProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.destination.former;
  const [chosen, setChosen] = useState<FormerPlace>();
  const { isPending, failure, run, clear } = useAction();
  const close = (): void => {
    clear();
    setChosen(undefined);
  };
  return (
    <Panel title={words.title}>
      <p className="ui-soft settings-text">{words.text}</p>
      <ul className="destination-former">
        {places.map((place) => (
          <li key={place.leftAt}>
            <p>
              {place.place}
              <span className="ui-hint">{words.until(formats.dateTime(place.leftAt))}</span>
            </p>
            <Button label={words.againLabel(place.place)} onPress={() => setChosen(place)}>
              {words.again}
            </Button>
          </li>
        ))}
      </ul>
      {chosen && (
        <ConfirmDialog
          title={words.confirmTitle}
          action={words.again}
          cancel={strings.common.cancel}
          isDangerous={false}
          isPending={isPending}
          onConfirm={() =>
            run(async () => {
              await call('destination.return', { leftAt: chosen.leftAt });
              close();
              onReturned();
            })
          }
          onClose={close}
        >
          <p>{words.confirmText(chosen.place)}</p>
          <FailureNotice failure={failure} />
        </ConfirmDialog>
      )}
    </Panel>
  );
}
