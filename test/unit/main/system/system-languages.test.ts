import { expect, test } from 'vitest';
import { systemLanguages } from '../../../../src/main/system/system-languages.ts';
import { languageOf } from '../../../../src/strings/strings.ts';

test.each([
  ['en-US', ['en-GB', 'en'], 'en', 'en-GB'],
  ['en-GB', ['en-GB', 'en'], 'en', 'en-GB'],
  ['en-US', ['en-US', 'en-GB', 'en'], 'en', 'en-US'],
  ['de', ['de-AT', 'de'], 'de', 'de-AT'],
  ['es', ['nl-NL', 'es-MX'], 'es', 'es-MX'],
  ['fr', [], 'fr', 'fr'],
  ['ja', ['en-GB', 'en'], 'ja', 'ja'],
] as const)(
  'of an Electron in %s and the preferences %j are texts in %s and formats of %s',
  (locale, preferred, code, region) => {
    const languages = systemLanguages({ getLocale: () => locale, getPreferredSystemLanguages: () => [...preferred] });
    expect(languageOf('system', languages)).toMatchObject({ code, region });
  },
);
