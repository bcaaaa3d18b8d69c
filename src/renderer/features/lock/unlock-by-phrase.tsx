import { useState } from 'react';
import type { ReactElement } from 'react';
import { Form } from 'react-aria-components';
import { call } from '../../bridge/bridge.ts';
import { FailureNotice } from '../../../ui/requests/failure-notice.tsx';
import { Button } from '../../../ui/buttons/button.tsx';
import { TextArea } from '../../../ui/fields/text-area.tsx';
import { useAction } from '../../../ui/requests/use-action.ts';
import { useLanguage } from '../../shared/use-language.ts';

/** Removes a forgotten password with the 24 words of the recovery phrase. */
export function UnlockByPhrase({ onBack }: { readonly onBack: () => void }): ReactElement {
  const { strings } = useLanguage();
  const words = strings.lock;
  const [phrase, setPhrase] = useState('');
  const { isPending, failure, run, clear } = useAction();
  const change = (next: string): void => {
    clear();
    setPhrase(next);
  };
  return (
    <Form
      className="ui-stack lock-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (phrase.trim() !== '') run(() => call('lock.unlock-with-phrase', { phrase }));
      }}
    >
      <h1>{words.phraseTitle}</h1>
      <p className="ui-soft">{words.phraseText}</p>
      <TextArea label={words.phrase} name="phrase" hint={words.phraseHint} value={phrase} onChange={change} />
      <FailureNotice failure={failure} />
      <Button kind="primary" type="submit" isPending={isPending}>
        {words.unlock}
      </Button>
      <Button kind="quiet" onPress={onBack}>
        {words.back}
      </Button>
    </Form>
  );
}
