import { useState } from 'react';
import type { ReactElement } from 'react';
import type { SignInChallenge } from '../../../protocol/accounts.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { entrance } from '../../api/calls.ts';
import { passkeys } from '../../api/passkeys.ts';
import { CodeField } from '../../shared/code-field.tsx';
import { PasskeyButton } from '../../shared/passkey-button.tsx';
import { formCode } from '../../shared/form-text.ts';
import { useLanguage } from '../../strings/language.ts';
import { EntranceForm } from './entrance-form.tsx';
import { NativeSelect } from '../../../ui/fields/native-select.tsx';

export interface FactorStepProps {
  readonly challenge: SignInChallenge;
  /** Called with the recovery codes, if new ones were made. */
  readonly onEntered: (codes: readonly string[]) => void;
  readonly onRestart: () => void;
}

/** The code of the second factor. */
export function SecondFactor({ challenge, onEntered, onRestart }: FactorStepProps): ReactElement {
  const { strings } = useLanguage();
  const [factorId, setFactorId] = useState(challenge.factors[0]?.id ?? '');
  const [isRecovery, setRecovery] = useState(false);
  return (
    <EntranceForm
      submit={strings.entrance.signIn}
      work={async (form) => {
        const request = { mfa_token: challenge.mfa_token, factor_id: factorId, code: formCode(form) };
        onEntered((await entrance.verify(request)).recovery_codes);
      }}
      foot={
        <>
          <Button kind="quiet" onPress={() => setRecovery(!isRecovery)}>
            {isRecovery ? strings.entrance.useApp : strings.entrance.recovery}
          </Button>
          <Button kind="quiet" onPress={onRestart}>
            {strings.entrance.back}
          </Button>
        </>
      }
    >
      {!isRecovery && challenge.has_passkey === true && passkeys.areSupported() && (
        <PasskeyButton work={async () => onEntered((await passkeys.signIn(challenge.mfa_token)).recovery_codes)} />
      )}
      {!isRecovery && challenge.factors.length > 1 && (
        <NativeSelect
          label={strings.entrance.factor}
          options={challenge.factors.map(({ id, friendly_name: label }) => ({ value: id, label }))}
          value={factorId}
          onChange={setFactorId}
        />
      )}
      {isRecovery ? (
        <TextField
          key="recovery"
          label={strings.entrance.recoveryCode}
          name="code"
          autoComplete="off"
          takesFocus
          isRequired
        />
      ) : (
        <CodeField takesFocus />
      )}
    </EntranceForm>
  );
}
