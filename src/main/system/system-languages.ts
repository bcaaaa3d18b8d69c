import type { App } from 'electron';

/**
 * Returns the languages of the system (BCP 47), the preferred first. Electron chooses a language among its own texts, which may be of another region, or of
 * none, in a package: `en-US` for `en-GB`. The first here is the one of that language which the person prefers.
 */
export function systemLanguages(app: Pick<App, 'getLocale' | 'getPreferredSystemLanguages'>): readonly string[] {
  const locale = app.getLocale();
  const preferred = app.getPreferredSystemLanguages();
  const language = locale.split('-')[0]!;
  const regions = preferred.filter((one) => one === language || one.startsWith(`${language}-`));
  return [...new Set([...regions, locale, ...preferred])];
}
