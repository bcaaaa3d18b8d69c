import { useState } from 'react';
import type { ReactElement } from 'react';
import type { DestinationChoice, SignInStep, StoredSet, Trial } from '../../../ipc/contract/setup.ts';
import { call } from '../../bridge/bridge.ts';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { Select } from '../../../ui/choices/select.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { useAction } from '../../../ui/requests/use-action.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { OpeningFields, openingOf } from './opening-fields.tsx';
import type { Draft } from './page/draft.ts';
import { StepPage } from './page/step-page.tsx';
import { Cautions } from '../destination-choice/cautions.tsx';
import { Unencrypted } from '../destination-choice/unencrypted.tsx';
import { CheckedList } from './page/checked-list.tsx';

const NEW_DEVICE = 'new';

/** With less free space, the first backup is likely to fill the destination. */
const LITTLE_BYTES = 5e9;

export interface Finished {
  readonly isAdopted: boolean;
  readonly storedSets: readonly StoredSet[];
}

interface ReadyStepProps {
  readonly draft: Draft;
  readonly destination: DestinationChoice;
  readonly trial: Trial;
  /** The account, at a service. */
  readonly signed: Extract<SignInStep, { kind: 'signed-in' }> | undefined;
  readonly systemName: string;
  readonly onChange: (change: Partial<Draft>) => void;
  readonly onFinished: (finished: Finished) => void;
  readonly onBack: () => void;
}

/** Shows the result of the test and asks for the rest, before the destination is saved. */
export function ReadyStep(props: ReadyStepProps): ReactElement {
  const { draft, destination, trial, signed, systemName, onChange, onFinished, onBack } = props;
  const { strings, formats } = useLanguage();
  const words = strings.onboarding.ready;
  const action = useAction();
  const [isChecked, setChecked] = useState(false);
  const holdsBackups = signed?.holdsBackups ?? trial.holdsBackups;
  const deviceName = draft.deviceName ?? systemName;
  // A device that was chosen at another service is unknown here.
  const device = signed?.devices.find(({ id }) => id === draft.deviceId);
  const isLittle = trial.freeBytes !== undefined && trial.freeBytes < LITTLE_BYTES;
  const isNameMissing = deviceName.trim() === '';
  const isAtService = signed !== undefined;
  const opening = openingOf(draft, isAtService);
  const finish = (): void => {
    setChecked(true);
    if (isNameMissing || (holdsBackups && !opening.isComplete)) return;
    action.run(async () =>
      onFinished(
        await call('setup.finish', {
          choice: destination,
          deviceName: deviceName.trim(),
          ...(device === undefined ? {} : { deviceId: device.id }),
          ...(holdsBackups ? opening.given : {}),
        }),
      ),
    );
  };
  return (
    <StepPage
      title={words.title}
      next={holdsBackups ? words.adopt : words.use}
      isPending={action.isPending}
      onNext={finish}
      onBack={onBack}
    >
      <CheckedList
        facts={[
          trial.location,
          signed ? words.signedInAs(signed.email) : words.written,
          ...(trial.freeBytes === undefined || isLittle ? [] : [words.free(formats.bytes(trial.freeBytes))]),
        ]}
      />
      <Unencrypted address={trial.location} />
      <Cautions trial={trial} />
      {isLittle && (
        <Notice tone="warning">
          <p>{words.littleFree(formats.bytes(trial.freeBytes ?? 0))}</p>
        </Notice>
      )}
      {draft.aim === 'existing' && !holdsBackups && (
        <Notice tone="warning">
          <p>{words.noBackups}</p>
        </Notice>
      )}
      {trial.isSameDisk === true && !holdsBackups && (
        <Notice tone="warning">
          <p>{words.sameDisk}</p>
        </Notice>
      )}
      {holdsBackups && (
        <section className="ui-stack">
          <header>
            <h2>{words.adoptTitle}</h2>
            <p className="ui-soft">{words.adoptText}</p>
          </header>
          <OpeningFields
            draft={draft}
            isAtService={isAtService}
            isChecked={isChecked}
            onChange={(part) => {
              action.clear();
              onChange(part);
            }}
          />
        </section>
      )}
      <div className="ui-stack">
        {signed && signed.devices.length > 0 && (
          <Select
            label={words.device}
            value={device?.id ?? NEW_DEVICE}
            options={[
              { value: NEW_DEVICE, label: words.newDevice },
              ...signed.devices.map(({ id, name, lastSeen }) => ({
                value: id,
                label: words.asDevice(name),
                ...(lastSeen === undefined ? {} : { hint: formats.ago(lastSeen) }),
              })),
            ]}
            onChange={(id) => {
              const next = signed.devices.find((one) => one.id === id);
              onChange({ deviceId: next?.id, ...(next ? { deviceName: next.name } : {}) });
            }}
          />
        )}
        <TextField
          label={words.deviceName}
          name="device-name"
          hint={words.deviceNameHint}
          maxLength={100}
          value={deviceName}
          error={isChecked && isNameMissing ? words.deviceNameMissing : undefined}
          onChange={(next) => onChange({ deviceName: next })}
        />
      </div>
      <FailureNotice failure={action.failure} />
    </StepPage>
  );
}
