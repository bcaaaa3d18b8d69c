import { createContext, useContext } from 'react';
import { languageOf } from '../../strings/strings.ts';
import type { Language } from '../../strings/strings.ts';

export const LanguageContext = createContext<Language>(languageOf('en', []));

export function useLanguage(): Language {
  return useContext(LanguageContext);
}
