import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ConfiguredDestination } from '../../../ipc/state.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { toast } from '../../../ui/feedback/toast.tsx';
import { ChangeDestination } from './change-destination.tsx';
import type { DestinationChange } from './change-destination.tsx';

interface ChangeDestinationButtonsProps {
  readonly destination: ConfiguredDestination;
  readonly choices: readonly { readonly change: DestinationChange; readonly label: string }[];
  readonly onDone?: (() => void) | undefined;
}

/** Buttons that open the steps which change a destination or add one. What happened is said in a toast. */
export function ChangeDestinationButtons(props: ChangeDestinationButtonsProps): ReactElement {
  const { destination, choices, onDone } = props;
  const [change, setChange] = useState<DestinationChange>();
  return (
    <>
      {choices.map((choice) => (
        <Button key={choice.change} onPress={() => setChange(choice.change)}>
          {choice.label}
        </Button>
      ))}
      {change && (
        <ChangeDestination
          change={change}
          destination={destination}
          onDone={(message) => {
            setChange(undefined);
            toast(message);
            onDone?.();
          }}
          onClose={() => setChange(undefined)}
        />
      )}
    </>
  );
}
