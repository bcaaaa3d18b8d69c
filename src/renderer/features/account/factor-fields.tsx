import type { ReactElement } from 'react';
import type { Factor } from '../../../ipc/contract/setup.ts';
import type { Strings } from '../../../strings/compiled/en.ts';
import { Segments } from '../../../ui/choices/segments.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { useLanguage } from '../../shared/use-language.ts';
import './account.css';
import { isApp } from './use-factor.ts';
import type { FactorEntry } from './use-factor.ts';

/** The second factor: a code of the app or a recovery code. */
export function FactorFields({ entry }: { readonly entry: FactorEntry }): ReactElement {
  const words = useLanguage().strings.account;
  const { factors, factor, code, problem, choose, enter } = entry;
  if (!factor) return <></>;
  const { label, hint } = fieldWords(factor, words);
  return (
    <div className="ui-stack">
      {factors.length > 1 && (
        <Segments
          label={words.choose}
          options={factors.map((one) => ({ value: one.id, label: one.name ?? factorWord(one, words) }))}
          value={factor.id}
          onChange={choose}
        />
      )}
      <TextField
        key={factor.id}
        label={label}
        name="code"
        autoComplete="one-time-code"
        inputMode={isApp(factor) ? 'numeric' : 'text'}
        takesFocus
        value={code}
        hint={hint}
        error={problem}
        onChange={enter}
      />
    </div>
  );
}

type Words = Strings['account'];

function fieldWords(factor: Factor, words: Words): { readonly label: string; readonly hint?: string } {
  if (isApp(factor)) return { label: words.code, hint: words.codeHint };
  return factor.kind === 'recovery'
    ? { label: words.recoveryCode, hint: words.recoveryHint }
    : { label: words.otherCode };
}

function factorWord({ kind }: Factor, words: Words): string {
  return kind === 'totp' ? words.totp : kind === 'recovery' ? words.recovery : kind;
}
