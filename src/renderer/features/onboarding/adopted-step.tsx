import { useState } from 'react';
import type { ReactElement } from 'react';
import type { StoredSet } from '../../../ipc/contract/setup.ts';
import { RadioCards } from '../../../ui/choices/radio-cards.tsx';
import { useLanguage } from '../../shared/use-language.ts';
import { StepPage } from './page/step-page.tsx';

interface AdoptedStepProps {
  readonly storedSets: readonly StoredSet[];
  /** This computer, which can continue its own sets only. */
  readonly deviceId: string | undefined;
  readonly onRestore: () => void;
  /** Called with the name of the set to continue, if any. */
  readonly onFolders: (set: string | undefined) => void;
  readonly onBack: () => void;
}

/** The next step after existing backups were opened. */
export function AdoptedStep({ storedSets, deviceId, onRestore, onFolders, onBack }: AdoptedStepProps): ReactElement {
  const { strings, formats } = useLanguage();
  const words = strings.onboarding.adopted;
  const [choice, setChoice] = useState('restore');
  const own = storedSets.filter((stored) => stored.deviceId === deviceId);
  const names = [...new Set(storedSets.map(({ set }) => set))];
  const next = (): void => {
    if (choice === 'restore') return onRestore();
    onFolders(own.find(({ set }) => valueOf(set) === choice)?.set);
  };
  return (
    <StepPage title={words.title} intro={words.intro} next={strings.common.next} onNext={next} onBack={onBack}>
      <p className="ui-soft">
        {words.found(storedSets.length, formats.list(names.map((name) => strings.common.quoted(name))))}
      </p>
      <RadioCards
        label={words.intro}
        isLabelHidden
        value={choice}
        onChange={setChoice}
        cards={[
          { value: 'restore', title: words.restore, hint: words.restoreHint, icon: 'restore' },
          ...own.map(({ set, deviceName, deviceId: id }) => ({
            value: valueOf(set),
            title: words.continueSet(set),
            hint: words.continueHint(deviceName ?? id),
            icon: 'backups' as const,
          })),
          { value: 'fresh', title: words.fresh, hint: words.freshHint, icon: 'folder' },
        ]}
      />
    </StepPage>
  );
}

function valueOf(set: string): string {
  return `set ${set}`;
}
