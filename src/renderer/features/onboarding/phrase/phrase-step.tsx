import { useState } from 'react';
import type { ReactElement } from 'react';
import { call } from '../../../bridge/bridge.ts';
import { FailureNotice } from '../../../../ui/requests/failure-notice.tsx';
import { Button } from '../../../../ui/buttons/button.tsx';
import { Icon } from '../../../../ui/icon.tsx';
import { ModalDialog } from '../../../../ui/dialogs/modal-dialog.tsx';
import { Notice } from '../../../../ui/feedback/notice.tsx';
import { useAction } from '../../../../ui/requests/use-action.ts';
import { useLanguage } from '../../../shared/use-language.ts';
import { StepPage } from '../page/step-page.tsx';
import './phrase-step.css';

interface PhraseStepProps {
  readonly words: readonly string[];
  readonly onNext: () => void;
  readonly onLater: () => void;
  readonly onBack: () => void;
}

/** Shows the phrase to be written down. Skipping it needs a confirmation. */
export function PhraseStep({ words: phrase, onNext, onLater, onBack }: PhraseStepProps): ReactElement {
  const words = useLanguage().strings.onboarding.phrase;
  const [isLeaving, setLeaving] = useState(false);
  return (
    <StepPage
      title={words.title}
      intro={words.intro}
      next={words.next}
      aside={
        <Button kind="quiet" onPress={() => setLeaving(true)}>
          {words.later}
        </Button>
      }
      onNext={onNext}
      onBack={onBack}
    >
      <ol className="first-words" aria-label={words.words}>
        {phrase.map((word, index) => (
          // A word may stand twice in a phrase: only its place names it.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={index} className="first-word">
            <span className="ui-soft ui-small ui-number">{index + 1}</span>
            <span translate="no">{word}</span>
          </li>
        ))}
      </ol>
      <KeepPhrase phrase={phrase} />
      {isLeaving && (
        <ModalDialog title={words.laterTitle} onClose={() => setLeaving(false)}>
          <p>{words.laterText}</p>
          <div className="ui-actions">
            <Button onPress={onLater}>{words.laterAnyway}</Button>
            <Button kind="primary" onPress={() => setLeaving(false)}>
              {words.laterNot}
            </Button>
          </div>
        </ModalDialog>
      )}
    </StepPage>
  );
}

/** Saves the phrase for print, or copies it for a password manager. */
function KeepPhrase({ phrase }: { readonly phrase: readonly string[] }): ReactElement {
  const words = useLanguage().strings.onboarding.phrase;
  const saving = useAction();
  const copying = useAction();
  const [path, setPath] = useState<string>();
  const [copy, setCopy] = useState<'no' | 'asked' | 'done'>('no');
  const save = (): void =>
    saving.run(async () => {
      setPath((await call('shell.save-kit', {})).path);
      setCopy('no');
    });
  const copyWords = (): void =>
    copying.run(async () => {
      await call('shell.copy', { text: phrase.join(' ') });
      setCopy('done');
    });
  return (
    <div className="ui-stack-tight">
      <div className="ui-row">
        <Button isPending={saving.isPending} onPress={save}>
          <Icon name="print" />
          {words.save}
        </Button>
        <Button kind="quiet" onPress={() => setCopy('asked')}>
          <Icon name="copy" />
          {words.copy}
        </Button>
      </div>
      {path !== undefined && copy === 'no' && (
        <Notice tone="good">
          <p className="first-saved">{words.saved(path)}</p>
          <p>{words.savedHint}</p>
        </Notice>
      )}
      {copy === 'asked' && (
        <Notice tone="warning">
          <p>{words.copyCaution}</p>
          <div>
            <Button isPending={copying.isPending} onPress={copyWords}>
              {words.copyAnyway}
            </Button>
          </div>
        </Notice>
      )}
      {copy === 'done' && <Notice tone="good">{words.copied}</Notice>}
      <FailureNotice failure={saving.failure} />
      <FailureNotice failure={copying.failure} />
    </div>
  );
}
