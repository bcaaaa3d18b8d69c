import { CATEGORIES, LANGUAGES, type Texts } from './linux-texts.ts';

const TEXT = `<?xml version="1.0" encoding="UTF-8"?>
<component type="desktop-application">
  <id>org.holdfast.Holdfast</id>
  <metadata_license>CC0-1.0</metadata_license>
  <project_license>Apache-2.0</project_license>
  <name>Holdfast</name>
  <developer_name>The Holdfast authors</developer_name>
SUMMARIES
  <description>
PARAGRAPHS
  </description>
  <launchable type="desktop-id">org.holdfast.Holdfast.desktop</launchable>
  <url type="homepage">HOMEPAGE</url>
  <provides>
    <binary>holdfast-app</binary>
  </provides>
  <categories>
CATEGORIES
  </categories>
  <content_rating type="oars-1.1" />
  <releases>
RELEASES
  </releases>
</component>
`;

/** Finds the versions of a changelog with their dates. */
const RELEASE = /^## v?(\d+\.\d+\.\d+)\b[^\n\d]*(\d{4}-\d{2}-\d{2})/gm;

/**
 * Returns the AppStream metadata for software centres.
 *
 * @param changelog CHANGELOG.md, whose headings of versions end with their dates
 * @param version of the package, which is the newest release even if the changelog lacks it
 * @param today for that case, as `2026-11-23`
 */
export function metainfo(changelog: string, version: string, homepage: string, today: string): string {
  const known = [...changelog.matchAll(RELEASE)].map(([, number, date]) => ({ number: number!, date: date! }));
  const releases = known.some(({ number }) => number === version)
    ? known
    : [{ number: version, date: today }, ...known];
  const lines = releases.map(({ number, date }) => `    <release version="${number}" date="${date}" />`);
  return TEXT.replace('RELEASES', lines.join('\n'))
    .replace('HOMEPAGE', homepage)
    .replace(
      'SUMMARIES',
      inLanguages(({ comment }) => comment, 'summary', '  '),
    )
    .replace(
      'PARAGRAPHS',
      LANGUAGES.en.description
        .map((_, at) => inLanguages(({ description }) => description[at]!, 'p', '    '))
        .join('\n'),
    )
    .replace(
      'CATEGORIES',
      CATEGORIES.split(';')
        .map((name) => `    <category>${name}</category>`)
        .join('\n'),
    );
}

/** Returns an element for each language, in lines. */
function inLanguages(textOf: (texts: Texts) => string, tag: string, indent: string): string {
  return Object.entries(LANGUAGES)
    .map(
      ([language, texts]) =>
        `${indent}<${tag}${language === 'en' ? '' : ` xml:lang="${language}"`}>${textOf(texts)}</${tag}>`,
    )
    .join('\n');
}
