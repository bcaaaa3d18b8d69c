import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import type { View } from '../../../ipc/contract/contract.ts';
import type { StoredSet } from '../../../ipc/contract/setup.ts';
import { BrandMark } from '../../shared/brand.tsx';
import { useCall } from '../../bridge/use-call.ts';
import { useAppState } from '../../bridge/use-app-state.ts';
import { useLanguage } from '../../shared/use-language.ts';
import { AdoptedStep } from './adopted-step.tsx';
import { EMPTY_DRAFT } from './page/draft.ts';
import type { Draft } from './page/draft.ts';
import { FoldersStep } from './folders/folders-step.tsx';
import { PhrasePart } from './phrase/phrase-part.tsx';
import { ReadyStep } from './ready-step.tsx';
import { StepList } from './page/step-list.tsx';
import type { Part } from './page/step-list.tsx';
import { StepPage } from './page/step-page.tsx';
import type { ChooseDestinationStep, SignedIn, Tested } from './destination/choose-destination.tsx';
import { ChooseDestination } from './destination/choose-destination.tsx';
import { CheckedList } from './page/checked-list.tsx';
import './page/step-page.css';

interface OnboardingProps {
  /** The first backup has started, or the person wants to continue elsewhere. */
  readonly onDone: (next: View) => void;
}

type Step =
  | ChooseDestinationStep
  | ({ readonly kind: 'ready'; readonly signed: SignedIn | undefined } & Tested)
  | { readonly kind: 'saved' }
  | { readonly kind: 'phrase' }
  | { readonly kind: 'adopted' }
  | { readonly kind: 'folders' };

/** Three steps to a first backup. Going back keeps what was entered. */
export function Onboarding({ onDone }: OnboardingProps): ReactElement {
  const { strings } = useLanguage();
  const disks = useCall('setup.disks', {});
  const hasDestination = useAppState((state) => state.destination !== undefined) === true;
  const deviceId = useAppState((state) => state.device?.id);
  const [draft, setDraft] = useState<Draft>(EMPTY_DRAFT);
  // A set that was just saved here has not been backed up yet.
  const hasSets = useAppState((state) => state.sets.length > 0) === true && draft.saved === undefined;
  const [step, setStep] = useState<Step>({ kind: hasDestination ? 'phrase' : 'destination' });
  const [isConfirmed, setConfirmed] = useState(false);
  const [adopted, setAdopted] = useState<readonly StoredSet[]>();
  const change = (part: Partial<Draft>): void => setDraft((before) => ({ ...before, ...part }));
  useEffect(() => {
    document.title = strings.common.title(strings.onboarding.title);
  }, [strings]);

  const afterPhrase = (): void => (hasSets ? onDone('home') : setStep({ kind: 'folders' }));

  const shown = (): ReactElement => {
    switch (step.kind) {
      case 'destination':
      case 'sign-in':
      case 'factor':
        return (
          <ChooseDestination
            step={step}
            draft={draft}
            disks={disks}
            isFirst
            onStep={setStep}
            onChange={change}
            onChosen={(tested, signed) => setStep({ kind: 'ready', signed, ...tested })}
          />
        );
      case 'ready':
        return (
          <ReadyStep
            draft={draft}
            destination={step.destination}
            trial={step.trial}
            signed={step.signed}
            systemName={disks.kind === 'ready' ? disks.value.deviceName : ''}
            onChange={change}
            onFinished={({ isAdopted, storedSets }) => {
              change({ password: '', phrase: '', keyCode: '', passphrase: '', destination: EMPTY_DRAFT.destination });
              setAdopted(isAdopted ? storedSets : undefined);
              setStep({ kind: isAdopted ? 'adopted' : 'phrase' });
            }}
            onBack={() => setStep(step.signed ? { ...step, kind: 'sign-in', isOver: false } : { kind: 'destination' })}
          />
        );
      case 'saved':
        return <SavedStep onNext={() => setStep({ kind: adopted ? 'adopted' : 'phrase' })} />;
      case 'phrase':
        return (
          <PhrasePart
            draft={draft}
            isConfirmed={isConfirmed}
            onChange={change}
            onConfirmed={() => {
              setConfirmed(true);
              change({ confirmed: ['', ''] });
              afterPhrase();
            }}
            onNext={afterPhrase}
            onBack={() => (hasSets ? onDone('home') : setStep({ kind: 'saved' }))}
          />
        );
      case 'adopted':
        return (
          <AdoptedStep
            storedSets={adopted ?? []}
            deviceId={deviceId}
            onRestore={() => onDone('restore')}
            onFolders={(setName) => {
              change({ setName });
              setStep({ kind: 'folders' });
            }}
            onBack={() => setStep({ kind: 'saved' })}
          />
        );
      case 'folders':
        return (
          <FoldersStep
            draft={draft}
            onChange={change}
            onStarted={() => onDone('home')}
            onLater={() => onDone('home')}
            onBack={() => setStep({ kind: adopted ? 'adopted' : 'phrase' })}
          />
        );
    }
  };
  return (
    <main className="first">
      <header className="first-head">
        <p className="frame-brand">
          <BrandMark />
          {strings.common.product}
        </p>
        <StepList part={PARTS[step.kind]} />
      </header>
      <div key={step.kind} className="first-shown">
        {shown()}
      </div>
    </main>
  );
}

const PARTS: Readonly<Record<Step['kind'], Part>> = {
  destination: 'destination',
  'sign-in': 'destination',
  factor: 'destination',
  ready: 'destination',
  saved: 'destination',
  phrase: 'phrase',
  adopted: 'phrase',
  folders: 'folders',
};

/** Shows the saved destination, which a step back cannot undo. */
function SavedStep({ onNext }: { readonly onNext: () => void }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.onboarding.saved;
  const location = useAppState((state) => state.destination?.location);
  return (
    <StepPage title={words.title} intro={words.text} next={strings.common.next} onNext={onNext}>
      {location !== undefined && <CheckedList facts={[location]} />}
    </StepPage>
  );
}
