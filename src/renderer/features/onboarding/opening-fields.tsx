import type { ReactElement } from 'react';
import { Segments } from '../../../ui/choices/segments.tsx';
import { TextArea } from '../../../ui/fields/text-area.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { useLanguage } from '../../shared/use-language.ts';
import { wordsOf } from './page/draft.ts';
import type { Draft, OpensBy } from './page/draft.ts';

const PHRASE_WORDS = 24;
const CODE_WORDS = 6;

interface Opening {
  readonly isComplete: boolean;
  /** Input of `setup.finish`. */
  readonly given: Readonly<Partial<Record<OpensBy, string>>>;
}

/** Returns what was entered to open existing backups. A service passes no code on. */
export function openingOf(draft: Draft, isAtService: boolean): Opening {
  const kind = kindOf(draft, isAtService);
  switch (kind) {
    case 'phrase': {
      const words = wordsOf(draft.phrase);
      return { isComplete: words.length === PHRASE_WORDS, given: { phrase: words.join(' ') } };
    }
    case 'keyCode': {
      const words = wordsOf(draft.keyCode);
      return { isComplete: words.length === CODE_WORDS, given: { keyCode: words.join(' ') } };
    }
    case 'passphrase':
      return { isComplete: draft.passphrase !== '', given: { passphrase: draft.passphrase } };
  }
}

interface OpeningFieldsProps {
  readonly draft: Draft;
  readonly isAtService: boolean;
  /** True once the person has tried to go on. */
  readonly isChecked: boolean;
  readonly onChange: (change: Partial<Draft>) => void;
}

/** The recovery phrase of existing backups, or what else opens them. */
export function OpeningFields(props: OpeningFieldsProps): ReactElement {
  const { draft, isAtService, onChange } = props;
  const words = useLanguage().strings.onboarding.ready;
  const kinds: readonly OpensBy[] = isAtService ? ['phrase', 'passphrase'] : ['phrase', 'keyCode', 'passphrase'];
  return (
    <>
      <Segments
        label={words.opensBy}
        options={kinds.map((value) => ({ value, label: words[value] }))}
        value={kindOf(draft, isAtService)}
        onChange={(opensBy) => onChange({ opensBy })}
      />
      <OpeningField {...props} />
    </>
  );
}

function OpeningField({ draft, isAtService, isChecked, onChange }: OpeningFieldsProps): ReactElement {
  const words = useLanguage().strings.onboarding.ready;
  const isWrong = isChecked && !openingOf(draft, isAtService).isComplete;
  switch (kindOf(draft, isAtService)) {
    case 'phrase':
      return (
        <TextArea
          label={words.phrase}
          name="phrase"
          value={draft.phrase}
          hint={words.phraseCount(wordsOf(draft.phrase).length)}
          error={isWrong ? words.phraseMissing : undefined}
          onChange={(phrase) => onChange({ phrase })}
        />
      );
    case 'keyCode':
      return (
        <TextField
          label={words.keyCode}
          name="key-code"
          autoComplete="off"
          spellCheck="false"
          value={draft.keyCode}
          hint={words.keyCodeHint}
          error={isWrong ? words.keyCodeMissing : undefined}
          onChange={(keyCode) => onChange({ keyCode })}
        />
      );
    case 'passphrase':
      return (
        <TextField
          label={words.passphrase}
          name="passphrase"
          type="password"
          autoComplete="off"
          value={draft.passphrase}
          error={isWrong ? words.passphraseMissing : undefined}
          onChange={(passphrase) => onChange({ passphrase })}
        />
      );
  }
}

function kindOf({ opensBy }: Draft, isAtService: boolean): OpensBy {
  return isAtService && opensBy === 'keyCode' ? 'phrase' : opensBy;
}
