import { useCallback, useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { I18nProvider } from 'react-aria-components';
import { Wait } from '../ui/requests/wait.tsx';
import { entrance } from './api/calls.ts';
import { whenSignedOut } from './api/call.ts';
import { useResource } from '../ui/requests/use-resource.ts';
import { Entrance } from './features/entrance/entrance.tsx';
import { FailureNotice } from '../ui/requests/failure-notice.tsx';
import { Shell } from './shell/shell.tsx';
import { chooseLanguage, LanguageContext, languageOf, useLanguage } from './strings/language.ts';
import type { Language, LanguageCode } from './strings/language.ts';
import type { UiTexts } from '../ui/texts.ts';
import { failureSentence } from './strings/failure-sentence.ts';
import { UiTextsContext } from '../ui/texts.ts';
import { asPortalFailure } from './api/failure.ts';
import './features/entrance/entrance.css';

const LANGUAGE_KEY = 'holdfast.language';

/** The whole page: the sign-in, or the sections behind it. */
export function Portal(): ReactElement {
  const [code, setCode] = useState<LanguageCode>(() =>
    chooseLanguage([localStorage.getItem(LANGUAGE_KEY) ?? '', ...navigator.languages]),
  );
  const language = languageOf(code, navigator.languages);
  const { direction, region } = language;
  const changeLanguage = useCallback((chosen: LanguageCode) => {
    localStorage.setItem(LANGUAGE_KEY, chosen);
    setCode(chosen);
  }, []);
  useEffect(() => {
    document.documentElement.lang = code;
    document.documentElement.dir = direction;
  }, [code, direction]);
  return (
    <I18nProvider locale={region}>
      <LanguageContext value={language}>
        <UiTextsContext value={uiTextsOf(language)}>
          <Door onLanguage={changeLanguage} />
        </UiTextsContext>
      </LanguageContext>
    </I18nProvider>
  );
}

function uiTextsOf({ strings }: Language): UiTexts {
  const { cancel, loading, retry, invalid } = strings.common;
  return { cancel, loading, retry, invalid, failure: (failure) => failureSentence(asPortalFailure(failure), strings) };
}

function Door({ onLanguage }: { readonly onLanguage: (code: LanguageCode) => void }): ReactElement {
  const { strings } = useLanguage();
  const state = useResource(entrance.state);
  const { reload } = state;
  useEffect(() => whenSignedOut(reload), [reload]);
  switch (state.kind) {
    case 'waiting':
      return <Wait label={strings.common.loading} />;
    case 'failed':
      return (
        <main className="portal-entrance">
          <FailureNotice failure={state.failure} onRetry={reload} />
        </main>
      );
    case 'ready':
      return state.value.kind === 'signed-in' ? (
        <Shell signedIn={state.value} onSignedOut={reload} onLanguage={onLanguage} />
      ) : (
        <Entrance
          isSetUp={state.value.kind === 'set-up'}
          providers={state.value.kind === 'signed-out' ? state.value.providers : []}
          mailsLinks={state.value.kind === 'signed-out' && state.value.password_reset}
          onEntered={reload}
          onLanguage={onLanguage}
        />
      );
  }
}
