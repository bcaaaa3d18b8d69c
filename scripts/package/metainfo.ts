const TEXT = `<?xml version="1.0" encoding="UTF-8"?>
<component type="desktop-application">
  <id>org.holdfast.Holdfast</id>
  <metadata_license>CC0-1.0</metadata_license>
  <project_license>Apache-2.0</project_license>
  <name>Holdfast</name>
  <developer_name>The Holdfast authors</developer_name>
  <summary>Back up folders and restore earlier versions of files</summary>
  <summary xml:lang="de">Ordner sichern und frühere Versionen von Dateien wiederherstellen</summary>
  <description>
    <p>Holdfast backs up your folders and restores any file as it was at any earlier time.</p>
    <p xml:lang="de">Holdfast sichert deine Ordner und stellt jede Datei so wieder her, wie sie zu einem früheren Zeitpunkt war.</p>
    <p>Everything is encrypted on your computer before it leaves it. Backups go to a disk, a folder, a bucket, a server or a cloud drive.</p>
    <p xml:lang="de">Alles wird auf deinem Computer verschlüsselt, bevor es ihn verlässt. Sicherungen liegen auf einer Festplatte, in einem Ordner, in einem Bucket, auf einem Server oder in einem Cloud-Speicher.</p>
  </description>
  <launchable type="desktop-id">org.holdfast.Holdfast.desktop</launchable>
  <url type="homepage">HOMEPAGE</url>
  <provides>
    <binary>holdfast-app</binary>
  </provides>
  <categories>
    <category>Utility</category>
    <category>Archiving</category>
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
  return TEXT.replace('RELEASES', lines.join('\n')).replace('HOMEPAGE', homepage);
}
