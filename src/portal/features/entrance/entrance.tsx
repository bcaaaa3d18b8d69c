import { useEffect, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import type { SignInChallenge } from '../../../protocol/accounts.ts';
import { Panel } from '../../../ui/layout/panel.tsx';
import { Brand } from '../../shared/brand.tsx';
import { LanguageChoice } from '../../shared/language-choice.tsx';
import { useLanguage } from '../../strings/language.ts';
import type { LanguageCode } from '../../strings/language.ts';
import { addressValue } from '../../use-section.ts';
import { Codes } from './codes.tsx';
import { EnrolFactor } from './enrol-factor.tsx';
import { JoinForm, RecoverForm, ResetForm, SetUpForm, SignInForm } from './first-forms.tsx';
import { ProviderButtons } from './provider-buttons.tsx';
import { SecondFactor } from './second-factor.tsx';
import './entrance.css';

type Step =
  | { readonly kind: 'first' | 'forgotten' }
  | { readonly kind: 'challenged'; readonly challenge: SignInChallenge }
  | { readonly kind: 'codes'; readonly codes: readonly string[] };

interface EntranceProps {
  /** The service has no account yet. */
  readonly isSetUp: boolean;
  /** Names of the identity providers for signing in. */
  readonly providers: readonly string[];
  /** The service mails links for new passwords. */
  readonly mailsLinks: boolean;
  readonly onEntered: () => void;
  readonly onLanguage: (code: LanguageCode) => void;
}

/** The password, then the second factor, which is set up first if there is none. */
export function Entrance({ isSetUp, providers, mailsLinks, onEntered, onLanguage }: EntranceProps): ReactElement {
  const { strings } = useLanguage();
  const [step, setStep] = useState<Step>({ kind: 'first' });
  const invitation = addressValue('join', 'token');
  const reset = addressValue('reset', 'token');
  const beginning = isSetUp ? 'set-up' : invitation !== undefined ? 'join' : reset !== undefined ? 'reset' : 'sign-in';
  const title = titleOf(step, beginning, strings.entrance);
  useEffect(() => {
    document.title = `${title} · Holdfast`;
  }, [title]);

  const challenged = (challenge: SignInChallenge): void => setStep({ kind: 'challenged', challenge });
  const entered = (codes: readonly string[]): void => {
    // The token in the address is used up.
    if (location.hash.includes('token=')) history.replaceState(null, '', '#/overview');
    if (codes.length > 0) setStep({ kind: 'codes', codes });
    else onEntered();
  };
  const restart = (): void => setStep({ kind: 'first' });

  const content = (): ReactNode => {
    switch (step.kind) {
      case 'codes':
        return <Codes codes={step.codes} onKept={onEntered} />;
      case 'challenged':
        return step.challenge.enrolment_token === undefined ? (
          <SecondFactor challenge={step.challenge} onEntered={entered} onRestart={restart} />
        ) : (
          <EnrolFactor token={step.challenge.enrolment_token} onEntered={entered} onRestart={restart} />
        );
      case 'forgotten':
        return <RecoverForm onBack={restart} />;
      case 'first':
        if (isSetUp) return <SetUpForm onChallenge={challenged} />;
        if (invitation !== undefined) {
          return (
            <>
              <JoinForm token={invitation} onChallenge={challenged} />
              <ProviderButtons providers={providers} invitation={invitation} onChallenge={challenged} />
            </>
          );
        }
        if (reset !== undefined) return <ResetForm token={reset} onChallenge={challenged} />;
        return (
          <>
            <SignInForm
              onChallenge={challenged}
              onForgotten={mailsLinks ? () => setStep({ kind: 'forgotten' }) : undefined}
            />
            <ProviderButtons providers={providers} onChallenge={challenged} />
          </>
        );
    }
  };

  return (
    <main className="portal-entrance">
      <h1>
        <Brand />
      </h1>
      {/* A new element for each step, so that screen readers announce it. */}
      <Panel key={title} title={title} takesFocus={isToRead(step)}>
        {content()}
      </Panel>
      <div className="portal-entrance-foot">
        <LanguageChoice onLanguage={onLanguage} />
      </div>
    </main>
  );
}

/** Whether there is something to read before a field, or no field. */
function isToRead(step: Step): boolean {
  return step.kind === 'codes' || (step.kind === 'challenged' && step.challenge.enrolment_token !== undefined);
}

function titleOf(
  step: Step,
  beginning: 'set-up' | 'join' | 'reset' | 'sign-in',
  words: ReturnType<typeof useLanguage>['strings']['entrance'],
): string {
  switch (step.kind) {
    case 'codes':
      return words.codesTitle;
    case 'challenged':
      return step.challenge.enrolment_token === undefined ? words.codeTitle : words.enrolTitle;
    case 'forgotten':
      return words.recoverTitle;
    case 'first':
      return { 'set-up': words.setUpTitle, join: words.joinTitle, reset: words.resetTitle, 'sign-in': words.signIn }[
        beginning
      ];
  }
}
