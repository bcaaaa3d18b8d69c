import type { ReactElement } from 'react';
import type { ConfiguredDestination } from '../../../ipc/state.ts';
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

interface ConfirmChangeStepProps extends ChosenDestination {
  /** The destination in whose place it comes. */
  readonly old: ConfiguredDestination;
  readonly onDone: () => void;
}

/** Summarizes a change of destination before it is made: what moves, what stays, and how much has to be uploaded. */
export function ConfirmChangeStep({
  old,
  destination,
  trial,
  email,
  onDone,
  onBack,
}: ConfirmChangeStepProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.destination.begin;
  const ready = strings.onboarding.ready;
  const bytes = useAppState((state) => state.storage.protectedBytes) ?? 0;
  const first = useAppState((state) => state.sets[0]?.name);
  const action = useAction();
  const begin = (): void =>
    action.run(async () => {
      await call('destination.begin', { choice: destination, destination: old.id });
      // The new destination holds nothing yet. If the backup cannot start now, Home says so and has a button.
      if (first !== undefined) await call('runs.backup', { set: first }).catch(() => undefined);
      onDone();
    });
  const isLittle = trial.freeBytes !== undefined && trial.freeBytes < bytes;
  const facts = [
    trial.location,
    ...(email === undefined ? [] : [ready.signedInAs(email)]),
    ...(trial.freeBytes === undefined ? [] : [ready.free(formats.bytes(trial.freeBytes))]),
    words.stays(old.location),
    words.keeps,
    bytes > 0 ? words.bringsBytes(formats.bytes(bytes)) : words.brings,
  ];
  return (
    <StepPage title={words.title} next={words.begin} isPending={action.isPending} onNext={begin} onBack={onBack}>
      <CheckedList facts={facts} />
      <Cautions trial={trial} />
      {isLittle && trial.freeBytes !== undefined && (
        <Notice tone="warning">{words.littleFree(formats.bytes(trial.freeBytes))}</Notice>
      )}
      {trial.isSameDisk === true && <Notice tone="warning">{ready.sameDisk}</Notice>}
      <FailureNotice failure={action.failure} />
    </StepPage>
  );
}
