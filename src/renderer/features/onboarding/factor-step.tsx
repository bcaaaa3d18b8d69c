import { useState } from 'react';
import type { ReactElement } from 'react';
import { CallFailure } from '../../../ipc/failure.ts';
import type { Factor, SignInStep } from '../../../ipc/setup.ts';
import { call } from '../../bridge.ts';
import { FailureNotice } from '../../shell/failure-notice.tsx';
import { Segments } from '../../ui/segments.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useAction } from '../../use-action.ts';
import { useLanguage } from '../../use-language.ts';
import { StepPage } from './step-page.tsx';

const DIGITS = 6;

interface FactorStepProps {
  readonly factors: readonly Factor[];
  readonly onSigned: (signed: SignInStep) => void;
  /** The time for it is over. */
  readonly onOver: () => void;
  readonly onBack: () => void;
}

/** The second factor of an account: a code of the app, or one that was put away. */
export function FactorStep({ factors, onSigned, onOver, onBack }: FactorStepProps): ReactElement {
  const { strings } = useLanguage();
  const words = strings.onboarding.factor;
  const action = useAction();
  const [chosen, setChosen] = useState(factors[0]?.id ?? '');
  const [code, setCode] = useState('');
  const [problem, setProblem] = useState<string>();
  const factor = factors.find(({ id }) => id === chosen);
  const isApp = factor?.kind === 'totp';
  const verify = (): void => {
    const given = isApp ? code.replace(/\D/g, '') : code.trim();
    if (isApp ? given.length !== DIGITS : given === '')
      return setProblem(isApp ? words.short : strings.onboarding.place.missing);
    setProblem(undefined);
    action.run(async () => {
      try {
        onSigned(await call('setup.verify-factor', { factor: chosen, code: given }));
      } catch (error) {
        if (!(error instanceof CallFailure)) throw error;
        if (error.failure.code === 'signed_out') return onOver();
        if (error.failure.code !== 'code_wrong') throw error;
        setProblem(isApp ? words.wrong : words.wrongOther);
      }
    });
  };
  return (
    <StepPage
      title={words.title}
      intro={words.intro}
      next={words.submit}
      isPending={action.isPending}
      onNext={verify}
      onBack={onBack}
    >
      {factors.length > 1 && (
        <Segments
          label={words.choose}
          options={factors.map(({ id, kind, name }) => ({ value: id, label: name ?? factorWord(kind, words) }))}
          value={chosen}
          onChange={(next) => {
            setChosen(next);
            setCode('');
            setProblem(undefined);
          }}
        />
      )}
      <div className="first-fields first-code">
        <TextField
          key={chosen}
          label={isApp ? words.code : factor?.kind === 'recovery' ? words.recoveryCode : words.otherCode}
          name="code"
          autoComplete="one-time-code"
          inputMode={isApp ? 'numeric' : 'text'}
          takesFocus
          value={code}
          {...(isApp ? { hint: words.codeHint } : factor?.kind === 'recovery' ? { hint: words.recoveryHint } : {})}
          {...(problem === undefined ? {} : { error: problem })}
          onChange={(next) => {
            setCode(next);
            setProblem(undefined);
          }}
        />
      </div>
      <FailureNotice failure={action.failure} />
    </StepPage>
  );
}

function factorWord(kind: string, words: { readonly totp: string; readonly recovery: string }): string {
  return kind === 'totp' ? words.totp : kind === 'recovery' ? words.recovery : kind;
}
