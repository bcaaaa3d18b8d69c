import { useState } from 'react';
import type { ReactElement } from 'react';
import type { DestinationChoice } from '../../../ipc/contract/setup.ts';
import type { ConfiguredDestination } from '../../../ipc/state.ts';
import { call } from '../../bridge/bridge.ts';
import { useAction } from '../../../ui/requests/use-action.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { DestinationFailure } from '../destination-choice/destination-failure.tsx';
import { EMPTY_DESTINATION, isComplete } from '../destination-choice/destination-draft.ts';
import { ChoiceFields } from '../destination-choice/fields/choice-fields.tsx';
import { StepPage } from '../onboarding/page/step-page.tsx';

interface MoveStepProps {
  /** The destination whose backups were moved. */
  readonly destination: ConfiguredDestination;
  readonly onDone: () => void;
}

/** Sets the new location of the present backups, which are looked for there before anything is saved. */
export function MoveStep({ destination: { id, kind, location }, onDone }: MoveStepProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.destination.move;
  const [choice, setChoice] = useState<DestinationChoice>(EMPTY_DESTINATION.entered[kind]);
  const [isChecked, setChecked] = useState(false);
  const action = useAction();
  const look = (destination: DestinationChoice): void => {
    setChecked(true);
    if (!isComplete(destination)) return;
    action.run(async () => {
      await call('destination.move', { choice: destination, destination: id });
      onDone();
    });
  };
  return (
    <StepPage
      title={words.title}
      intro={words.intro(location)}
      next={words.look}
      isPending={action.isPending}
      onNext={() => look(choice)}
    >
      <p>{words.kinds[kind]}</p>
      <ChoiceFields
        choice={choice}
        isChecked={isChecked}
        onChange={(next) => {
          action.clear();
          setChoice(next);
        }}
      />
      <DestinationFailure
        choice={choice}
        failure={action.failure}
        onConfirm={(confirmed) => {
          setChoice(confirmed);
          look(confirmed);
        }}
      />
    </StepPage>
  );
}
