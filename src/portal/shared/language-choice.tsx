import type { ReactElement } from 'react';
import { LANGUAGES, useLanguage } from '../strings/language.ts';
import type { LanguageCode } from '../strings/language.ts';
import './language-choice.css';

export function LanguageChoice({ onLanguage }: { readonly onLanguage: (code: LanguageCode) => void }): ReactElement {
  const { code, strings } = useLanguage();
  return (
    <label className="portal-language">
      <span className="ui-hidden">{strings.shell.language}</span>
      <select value={code} onChange={(event) => onLanguage(event.currentTarget.value as LanguageCode)}>
        {LANGUAGES.map((language) => (
          <option key={language.code} value={language.code} lang={language.code}>
            {language.name}
          </option>
        ))}
      </select>
    </label>
  );
}
