import { useState } from 'react';
import type { ReactElement } from 'react';
import { Form } from 'react-aria-components';
import type { SignInChallenge } from '../../../protocol/accounts.ts';
import { Button } from '../../../ui/buttons/button.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { entrance } from '../../api/calls.ts';
import { useAction } from '../../api/use-action.ts';
import { CodeField } from '../../shared/code-field.tsx';
import { FailureNotice } from '../../shared/failure-notice.tsx';
import { formCode } from '../../shared/form-text.ts';
import { useLanguage } from '../../strings/language.ts';

export interface FactorStepProps {
  readonly challenge: SignInChallenge;
  /** Told the recovery codes where there are new ones. */
  readonly onEntered: (codes: readonly string[]) => void;
  readonly onRestart: () => void;
}

/** The code that follows the password. */
export function SecondFactor({ challenge, onEntered, onRestart }: FactorStepProps): ReactElement {
  const { strings } = useLanguage();
  const action = useAction();
  const [factorId, setFactorId] = useState(challenge.factors[0]?.id ?? '');
  const [isRecovery, setRecovery] = useState(false);
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault();
        const code = formCode(event.currentTarget);
        const request = { mfa_token: challenge.mfa_token, factor_id: factorId, code };
        action.run(() => entrance.verify(request).then(({ recovery_codes: codes }) => onEntered(codes)));
      }}
    >
      {!isRecovery && challenge.factors.length > 1 && (
        <label className="ui-field">
          <span className="ui-label">{strings.entrance.factor}</span>
          <select className="ui-input" value={factorId} onChange={(event) => setFactorId(event.currentTarget.value)}>
            {challenge.factors.map(({ id, friendly_name: name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
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
      <FailureNotice failure={action.failure} />
      <Button kind="primary" type="submit" isPending={action.isPending}>
        {strings.entrance.signIn}
      </Button>
      <div className="portal-entrance-foot">
        <Button kind="quiet" onPress={() => setRecovery(!isRecovery)}>
          {isRecovery ? strings.entrance.useApp : strings.entrance.recovery}
        </Button>
        <Button kind="quiet" onPress={onRestart}>
          {strings.entrance.back}
        </Button>
      </div>
    </Form>
  );
}
