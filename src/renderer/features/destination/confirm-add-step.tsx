import type { ReactElement } from 'react';
import { call } from '../../bridge/bridge.ts';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { useAction } from '../../../ui/requests/use-action.ts';
import { useAppState } from '../../bridge/use-app-state.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { Cautions } from '../destination-choice/cautions.tsx';
import { StepPage } from '../onboarding/page/step-page.tsx';
import { CheckedList } from '../onboarding/page/checked-list.tsx';
import type { ChosenDestination } from './new-destination-steps.tsx';

interface ConfirmAddStepProps extends ChosenDestination {
  /** Called with what happened. */
  readonly onDone: (message: string) => void;
}

/** Summarizes a further destination before it is added: what stays the same, and how much has to be uploaded. */
export function ConfirmAddStep({ destination, trial, email, onDone, onBack }: ConfirmAddStepProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.destination.add;
  const ready = strings.onboarding.ready;
  const bytes = useAppState((state) => state.storage.protectedBytes) ?? 0;
  const first = useAppState((state) => state.sets[0]?.name);
  const action = useAction();
  const add = (): void =>
    action.run(async () => {
      const { name, isContinued } = await call('destinations.add', { choice: destination });
      // If the backup cannot start now, the schedule starts it.
      if (first !== undefined) await call('runs.backup', { set: first }).catch(() => undefined);
      onDone(isContinued ? words.continued(name) : words.added(name));
    });
  const isLittle = trial.freeBytes !== undefined && trial.freeBytes < bytes;
  const facts = [
    trial.location,
    ...(email === undefined ? [] : [ready.signedInAs(email)]),
    ...(trial.freeBytes === undefined ? [] : [ready.free(formats.bytes(trial.freeBytes))]),
    words.others,
    words.phrase,
    bytes > 0 ? words.sendsBytes(formats.bytes(bytes)) : words.sends,
  ];
  return (
    <StepPage title={words.title} next={words.confirm} isPending={action.isPending} onNext={add} onBack={onBack}>
      <CheckedList facts={facts} />
      <Cautions trial={trial} />
      {isLittle && trial.freeBytes !== undefined && (
        <Notice tone="warning">{strings.destination.begin.littleFree(formats.bytes(trial.freeBytes))}</Notice>
      )}
      {trial.isSameDisk === true && <Notice tone="warning">{ready.sameDisk}</Notice>}
      <FailureNotice failure={action.failure} />
    </StepPage>
  );
}
