import { useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import type { DestinationChoice, Trial } from '../../../../ipc/contract/setup.ts';
import { call } from '../../../bridge/bridge.ts';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { Loaded } from '../../../../ui/requests/loaded.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { DestinationFailure } from '../../destination-choice/destination-failure.tsx';
import { DestinationPicker } from '../../destination-choice/destination-picker.tsx';
import { choiceOf, isComplete, suggestedDestination, withChoice } from '../../destination-choice/destination-draft.ts';
import type { DestinationDraft } from '../../destination-choice/destination-draft.ts';
import type { Draft } from '../page/draft.ts';
import { StepPage } from '../page/step-page.tsx';
import type { CallResource } from '../../../bridge/use-call.ts';

const LOOK_AGAIN = 4_000;

export type Disks = CallResource<'setup.disks'>;

interface DestinationStepProps {
  readonly draft: DestinationDraft;
  readonly disks: Disks;
  readonly aim: Draft['aim'];
  /** Missing where only new backups make sense. */
  readonly onAim: ((aim: Draft['aim']) => void) | undefined;
  readonly onChange: (draft: DestinationDraft) => void;
  readonly onTried: (destination: DestinationChoice, trial: Trial) => void;
}

/** Chooses the destination. It is tested here and saved later. */
export function DestinationStep(props: DestinationStepProps): ReactElement {
  const { draft: entered, disks, aim, onAim, onChange, onTried } = props;
  const { strings } = useLanguage();
  const words = strings.onboarding.destination;
  const action = useAction();
  /** Counts the changes: the answer for what was chosen before leads nowhere. */
  const changes = useRef(0);
  const [isChecked, setChecked] = useState(false);
  const isExisting = aim === 'existing';
  const found = disks.kind === 'ready' ? disks.value.disks : undefined;
  const suggested = found && suggestedDestination(found, isExisting);
  const draft = { ...entered, card: entered.card ?? suggested };
  const choice = choiceOf(draft);
  const { reload } = disks;
  useEffect(() => {
    // A disk that is plugged in now appears by itself.
    const timer = setInterval(reload, LOOK_AGAIN);
    return () => clearInterval(timer);
  }, [reload]);
  const test = (destination = choice): void => {
    setChecked(true);
    if (!destination || !isComplete(destination)) return;
    const before = changes.current;
    action.run(async () => {
      const isCurrent = (): boolean => changes.current === before;
      try {
        const trial = await call('setup.try', { choice: destination });
        if (isCurrent()) onTried(destination, trial);
      } catch (error) {
        if (isCurrent()) throw error;
      }
    });
  };
  const turn = (to: Draft['aim']): void => {
    changes.current += 1;
    action.clear();
    setChecked(false);
    onAim?.(to);
  };
  const change = (next: DestinationDraft): void => {
    changes.current += 1;
    action.clear();
    setChecked(false);
    onChange(next);
  };
  return (
    <StepPage
      key={aim}
      title={isExisting ? words.existingTitle : words.title}
      intro={isExisting ? words.existingIntro : words.intro}
      next={isExisting ? words.open : words.test}
      isPending={action.isPending}
      onNext={() => test()}
    >
      {onAim && (
        <div>
          <Button onPress={() => turn(isExisting ? 'new' : 'existing')}>
            <Icon name={isExisting ? 'plus' : 'restore'} />
            {isExisting ? words.new : words.existing}
          </Button>
        </div>
      )}
      <Loaded resource={disks}>
        {(list) => (
          <DestinationPicker
            draft={draft}
            disks={list.disks}
            isChecked={isChecked}
            isLooking={isExisting}
            onChange={change}
          />
        )}
      </Loaded>
      <DestinationFailure
        choice={choice}
        failure={action.failure}
        onConfirm={(confirmed) => {
          change(withChoice(draft, confirmed));
          test(confirmed);
        }}
      />
    </StepPage>
  );
}
