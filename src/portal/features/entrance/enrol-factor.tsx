import { useCallback } from 'react';
import type { ReactElement } from 'react';
import { Button } from '../../../ui/buttons/button.tsx';
import { entrance } from '../../api/calls.ts';
import { useResource } from '../../../ui/requests/use-resource.ts';
import { Loaded } from '../../../ui/requests/loaded.tsx';
import { formCode } from '../../shared/form-text.ts';
import { useLanguage } from '../../strings/language.ts';
import { AppSecret } from './app-secret.tsx';
import { CodeField } from '../../shared/code-field.tsx';
import type { FactorStepProps } from './second-factor.tsx';
import { EntranceForm } from './entrance-form.tsx';

/** Sets up the first second factor of a person. */
export function EnrolFactor(props: Omit<FactorStepProps, 'challenge'> & { readonly token: string }): ReactElement {
  const { token, onEntered, onRestart } = props;
  const { strings } = useLanguage();
  const enrolment = useResource(useCallback(() => askOnce(token), [token]));
  return (
    <Loaded resource={enrolment}>
      {(factor) => (
        <EntranceForm
          submit={strings.entrance.next}
          work={async (form) => {
            const request = { mfa_token: token, factor_id: factor.id, code: formCode(form) };
            onEntered((await entrance.verify(request)).recovery_codes);
          }}
          foot={
            <Button kind="quiet" onPress={onRestart}>
              {strings.entrance.back}
            </Button>
          }
        >
          <p>{strings.entrance.enrolLead}</p>
          <AppSecret totp={factor.totp} />
          <CodeField />
        </EntranceForm>
      )}
    </Loaded>
  );
}

const asked = new Map<string, ReturnType<typeof entrance.enrol>>();

/** React may mount a view twice; the factor is requested once. */
function askOnce(token: string): ReturnType<typeof entrance.enrol> {
  const known = asked.get(token);
  if (known) return known;
  const answer = entrance.enrol(token);
  asked.set(token, answer);
  answer.catch(() => asked.delete(token));
  return answer;
}
