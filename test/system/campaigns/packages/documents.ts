/** Fails unless the manual page, the changelog and the licence of an installed app can be read. */
export const DOCUMENTS = `gzip -cd /usr/share/man/man1/holdfast-app.1.gz | grep -q '^.TH HOLDFAST' && gzip -cd /usr/share/doc/holdfast-app/CHANGELOG.md.gz | grep -q '^# Changelog' && grep -q 'The Holdfast authors' /usr/share/doc/holdfast-app/copyright`;
