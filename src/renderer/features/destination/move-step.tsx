import { useState } from 'react';
import type { ReactElement } from 'react';
import type { AppState } from '../../../ipc/state.ts';
import { call } from '../../bridge/bridge.ts';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { useAction } from '../../../ui/requests/use-action.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { destinationOf, EMPTY_DRAFT } from '../onboarding/page/draft.ts';
import type { Draft } from '../onboarding/page/draft.ts';
import { DestinationFields } from '../onboarding/destination/destination-fields.tsx';
import { StepPage } from '../onboarding/page/step-page.tsx';

interface MoveStepProps {
  /** The current destination. */
  readonly destination: NonNullable<AppState['destination']>;
  readonly onDone: () => void;
}

/** Sets the new location of the present backups, which are looked for there before anything is saved. */
export function MoveStep({ destination: { kind, location }, onDone }: MoveStepProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.destination.move;
  const [draft, setDraft] = useState<Draft>(EMPTY_DRAFT);
  const [isChecked, setChecked] = useState(false);
  const action = useAction();
  const look = (): void => {
    const destination = destinationOf(draft, kind);
    setChecked(true);
    if (!destination) return;
    action.run(async () => {
      await call('destination.move', { destination });
      onDone();
    });
  };
  return (
    <StepPage
      title={words.title}
      intro={words.intro(location)}
      next={words.look}
      isPending={action.isPending}
      onNext={look}
    >
      <p>{words.kinds[kind]}</p>
      <DestinationFields
        draft={draft}
        choice={kind}
        isChecked={isChecked}
        onChange={(change) => {
          action.clear();
          setDraft((before) => ({ ...before, ...change }));
        }}
      />
      <FailureNotice failure={action.failure} />
    </StepPage>
  );
}
