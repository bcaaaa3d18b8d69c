import { useCallback } from 'react';
import type { ReactElement } from 'react';
import { Form } from 'react-aria-components';
import { Button } from '../../../ui/buttons/button.tsx';
import { entrance } from '../../api/calls.ts';
import { useAction } from '../../api/use-action.ts';
import { useResource } from '../../api/use-resource.ts';
import { FailureNotice } from '../../shared/failure-notice.tsx';
import { Loaded } from '../../shared/loaded.tsx';
import { formCode } from '../../shared/form-text.ts';
import { useLanguage } from '../../strings/language.ts';
import { AppSecret } from './app-secret.tsx';
import { CodeField } from '../../shared/code-field.tsx';
import type { FactorStepProps } from './second-factor.tsx';

/** The first second factor of somebody who has none yet. */
export function EnrolFactor(props: Omit<FactorStepProps, 'challenge'> & { readonly token: string }): ReactElement {
  const { token, onEntered, onRestart } = props;
  const { strings } = useLanguage();
  const action = useAction();
  const enrolment = useResource(useCallback(() => askOnce(token), [token]));
  return (
    <Loaded resource={enrolment}>
      {(factor) => (
        <Form
          onSubmit={(event) => {
            event.preventDefault();
            const code = formCode(event.currentTarget);
            const request = { mfa_token: token, factor_id: factor.id, code };
            action.run(() => entrance.verify(request).then(({ recovery_codes: codes }) => onEntered(codes)));
          }}
        >
          <p>{strings.entrance.enrolLead}</p>
          <AppSecret totp={factor.totp} />
          <CodeField takesFocus />
          <FailureNotice failure={action.failure} />
          <Button kind="primary" type="submit" isPending={action.isPending}>
            {strings.entrance.next}
          </Button>
          <div className="portal-entrance-foot">
            <Button kind="quiet" onPress={onRestart}>
              {strings.entrance.back}
            </Button>
          </div>
        </Form>
      )}
    </Loaded>
  );
}

const asked = new Map<string, ReturnType<typeof entrance.enrol>>();

/** A view may be made twice; the factor is not. */
function askOnce(token: string): ReturnType<typeof entrance.enrol> {
  const known = asked.get(token);
  if (known) return known;
  const answer = entrance.enrol(token);
  asked.set(token, answer);
  answer.catch(() => asked.delete(token));
  return answer;
}
