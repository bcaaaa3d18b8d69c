import { useEffect, useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { I18nProvider } from 'react-aria-components';
import type { View } from '../ipc/contract/contract.ts';
import { failureSentence } from '../strings/failure-sentence.ts';
import { languageOf } from '../strings/strings.ts';
import type { Language } from '../strings/strings.ts';
import { FailureRemediesContext, type FailureRemedies } from '../ui/requests/failure-remedies.ts';
import { UiTextsContext } from '../ui/texts.ts';
import type { UiTexts } from '../ui/texts.ts';
import { failureOf } from './bridge/use-call.ts';
import { onShow } from './bridge/bridge.ts';
import { showPreviousVersions } from './features/restore/store/show-previous-versions.ts';
import { DestinationRemedies } from './features/destination/destination-remedies.tsx';
import { LockScreen } from './features/lock/lock-screen.tsx';
import { AgentTroubleView } from './features/agent-trouble/agent-trouble.tsx';
import { Onboarding } from './features/onboarding/onboarding.tsx';
import { Frame } from './shell/frame.tsx';
import { RenderFailure } from './shell/render-failure.tsx';
import { Wait } from '../ui/requests/wait.tsx';
import { useAppState } from './bridge/use-app-state.ts';
import { LanguageContext, useLanguage } from './shared/use-language.ts';

/** The whole window: the first steps until they are complete, then the views. */
export function App(): ReactElement {
  const choice = useAppState((state) => state.preferences.language) ?? 'system';
  const language = useMemo(() => languageOf(choice, window.holdfastPort.languages), [choice]);
  const texts = useMemo(() => uiTextsOf(language), [language]);
  const isLocked = useAppState((state) => state.lock?.isLocked) === true;
  const [view, setView] = useState<View>('home');
  useEffect(
    () =>
      onShow((asked) => {
        if (typeof asked === 'string') return setView(asked);
        setView('restore');
        void showPreviousVersions(asked.previousVersions);
      }),
    [],
  );
  useEffect(() => {
    document.documentElement.lang = language.tag;
    document.documentElement.dir = language.direction;
  }, [language]);
  return (
    <I18nProvider locale={language.region}>
      <LanguageContext value={language}>
        <UiTextsContext value={texts}>
          <FailureRemediesContext value={remediesFor}>
            <RenderFailure>{isLocked ? <LockScreen /> : <Inside view={view} onView={setView} />}</RenderFailure>
          </FailureRemediesContext>
        </UiTextsContext>
      </LanguageContext>
    </I18nProvider>
  );
}

const remediesFor: FailureRemedies = (failure, onMended) => (
  <DestinationRemedies failure={failureOf(failure)} onMended={onMended} />
);

function uiTextsOf(language: Language): UiTexts {
  const { cancel, loading, retry, invalid } = language.strings.common;
  return { cancel, loading, retry, invalid, failure: (failure) => failureSentence(failureOf(failure), language) };
}

interface InsideProps {
  readonly view: View;
  readonly onView: (view: View) => void;
}

function Inside({ view, onView }: InsideProps): ReactElement {
  const { strings } = useLanguage();
  const health = useAppState((state) => state.health);
  const hasDestination = useAppState((state) => state.destination !== undefined);
  const isPhraseOpen = useAppState((state) => state.needs.some(({ kind }) => kind === 'phrase-unconfirmed'));
  const isDamaged = useAppState((state) => state.damage !== undefined);
  const trouble = useAppState((state) => state.trouble);
  const home = useAppState((state) => state.home) ?? '';
  const [isStarting, setStarting] = useState<boolean>();
  const [hasStarted, setStarted] = useState(false);
  if (trouble) return <AgentTroubleView trouble={trouble} home={home} />;
  // Once started, the first steps continue until the person completes them, whatever is saved on the way.
  if (health !== undefined && isStarting === undefined) {
    setStarting(isDamaged !== true && (hasDestination === false || isPhraseOpen === true));
  }
  if (health === undefined || isStarting === undefined) return <Wait label={strings.common.loading} />;
  if (!isStarting) {
    return <Frame view={view} isComingBack={hasStarted} onView={onView} onPhrase={() => setStarting(true)} />;
  }
  return (
    <Onboarding
      onDone={(next) => {
        onView(next);
        setStarted(true);
        setStarting(false);
      }}
    />
  );
}
