/** What Debian's policy wants to know of a package in its folder of documents. */
export interface DebianPackage {
  readonly name: string;
  /** As dpkg compares it. */
  readonly version: string;
  /** Name and address. */
  readonly maintainer: string;
  readonly homepage: string;
  /** Seconds since 1970. */
  readonly epoch: number;
}

/**
 * Returns the notice of copyright, with the licence by name: Debian has its text.
 *
 * @param notices where the licences of the libraries are
 * @see https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
 */
export function debianCopyright(
  { homepage, epoch }: Pick<DebianPackage, 'homepage' | 'epoch'>,
  notices: string,
): string {
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Holdfast
Source: ${homepage}

Files: *
Copyright: ${new Date(epoch * 1000).getUTCFullYear()} The Holdfast authors
License: Apache-2.0
 Licensed under the Apache License, Version 2.0. On Debian systems its text is in
 /usr/share/common-licenses/Apache-2.0. The licences of the libraries are in
 ${notices}.
`;
}

/**
 * Returns the changelog that programs of Debian parse. It names the version; the changes are in CHANGELOG.md beside it.
 *
 * @see https://www.debian.org/doc/debian-policy/ch-source.html#debian-changelog-debian-changelog
 */
export function debianChangelog({ name, version, maintainer, epoch }: DebianPackage): string {
  const date = new Date(epoch * 1000).toUTCString().replace('GMT', '+0000');
  return `${name} (${version}) stable; urgency=medium

  * What has changed is in CHANGELOG.md.gz.

 -- ${maintainer}  ${date}
`;
}
